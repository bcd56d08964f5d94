"""`tutor serve`: the application in a browser of this machine."""

import secrets
import socket

import click

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
            click.launch(address)

    LocalServer(_free(HOST, port), secrets.token_urlsafe(32), say).serve()


def _free(host: str, port: int | None) -> int:
    """Return `port`, or any free port. Raises `CannotHere` if it is taken or not allowed."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port or 0))
        except OSError as error:
            raise CannotHere(f"port {port} cannot be used: {error.strerror}") from None
        return int(probe.getsockname()[1])
