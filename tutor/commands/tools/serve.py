"""`tutor serve`: the application in a browser of this machine."""

import os
import secrets
import socket
import tempfile
from pathlib import Path

import click

from tutor.base import paths
from tutor.base.errors import CannotHere


@click.command("serve")
@click.option("--port", type=click.IntRange(1, 65535), help="Default: a free one.")
@click.option("--open", "open_browser", is_flag=True, help="Open the address in the browser.")
def serve_command(port: int | None, open_browser: bool) -> None:
    """The application in a browser of this machine; ctrl+c ends it.

    It listens on 127.0.0.1 only, and answers only to the address it prints, which holds a token made
    anew at every start.
    """
    try:
        from tutor.web.server import HOST, LocalServer
    except ImportError as error:
        raise CannotHere(
            f"serving needs textual-serve ({error.name or error} is missing): "
            "`pip install textual-serve`, or the extra `serve`"
        ) from None

    def say(address: str) -> None:
        click.echo(
            f"Serving on {address}\nctrl+c ends it. Don't share this address: it contains your token."
        )
        if open_browser:
            leading.append(_write_leading_page(address))
            click.launch(leading[0].as_uri())

    leading: list[Path] = []
    try:
        LocalServer(_free(HOST, port), secrets.token_urlsafe(32), say).serve()
    finally:
        for page in leading:
            page.unlink(missing_ok=True)


def _write_leading_page(address: str) -> Path:
    """Write a page of the owner's alone that leads to the address. A browser is started with its path:
    every user of the machine can read a command line, and the address holds the token."""
    folder = paths.ensure(paths.data_dir())
    handle, name = tempfile.mkstemp(prefix="serve-", suffix=".html", dir=folder)  # mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(
            '<!DOCTYPE html><meta charset="utf-8"><meta name="referrer" content="no-referrer">'
            f'<meta http-equiv="refresh" content="0; url={address}"><a href="{address}">tutor</a>\n'
        )
    return Path(name)


def _free(host: str, port: int | None) -> int:
    """Return `port`, or any free port. Raises `CannotHere` if it is taken or not allowed."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port or 0))
        except OSError as error:
            raise CannotHere(f"port {port} cannot be used: {error.strerror}") from None
        return int(probe.getsockname()[1])
