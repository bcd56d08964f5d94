"""`tutor pack`: courses of others."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import click

from tutor.authoring import scaffold
from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.base.terminal import is_terminal
from tutor.commands.support.console import say
from tutor.commands.tools.content import check as content_check
from tutor.course import packs
from tutor.judge.connection import sandbox

_PACK_TOML = """\
format = 1
name = "{name}"
version = "0.1"
licence = "{licence}"
about = "{title}"
needs = []                     # "cuda", "g++": what a machine must have for all of it
"""


@click.group("pack")
def pack_command() -> None:
    """Course packs: `tutor --pack NAME` opens one, `tutor --pack NAME COMMAND` works in it."""


@pack_command.command("new")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--title", required=True, help="Of its first day.")
@click.option("--exercise", "slug", required=True, help="The name of its first exercise.")
@click.option("--licence", default="MIT", show_default=True)
def new(folder: Path, title: str, slug: str, licence: str) -> None:
    """Write a pack that is sound as it stands: a day, a quiz and an exercise, to be changed."""
    name = folder.resolve().name
    file = folder / packs.FILE
    if file.exists():
        raise UsageError(
            f"{file} is there already; `tutor new exercise --pack {folder}` adds to it"
        )
    quoted = json.dumps(title, ensure_ascii=False)[1:-1]
    text = _PACK_TOML.format(name=name, licence=licence, title=quoted)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        packs.read_pack(folder)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}") from None
    except UsageError:
        file.unlink()
        raise
    written = [file, *scaffold.write_day(folder, 1, title), *scaffold.write_quiz(folder, 1, title)]
    for path in (*written, *scaffold.write_exercise(folder, slug, 1, title)):
        click.echo(str(path))
    click.echo(
        f"`tutor pack check {folder}` proves it; docs/course-format.md says the rest.", err=True
    )


@pack_command.command("check")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--only", metavar="DAY|SLUG", multiple=True, help="Run only these; files are all read."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.pass_context
def check(context: click.Context, folder: Path, only: tuple[str, ...], as_json: bool) -> int:
    """Prove a pack as `tutor content check` proves a course. Its programs run, in the sandbox."""
    info = packs.read_pack(folder)
    if not as_json:
        click.echo(f"{info.name} {info.version} ({info.licence}); {_where_it_runs()}")
    status: int = context.invoke(content_check, pack=folder, only=only, as_json=as_json)
    return status


@pack_command.command("add")
@click.argument("pack", metavar="FOLDER|FILE|NAME")
@click.option("--yes", is_flag=True, help="Consent without being asked.")
def add(pack: str, yes: bool) -> None:
    """Copy a pack from a folder, a .zip or .whl file, or an installed package, after your consent."""
    with packs.open_pack(pack) as folder:
        info = packs.read_pack(folder)
        exercises = len(list((folder / "kernels").glob("*/exercise.toml")))
        say(
            f"{info.name} {info.version}: {info.about} ({info.licence}, {exercises} exercises"
            + (f", needs {' and '.join(info.needs)})" if info.needs else ")")
        )
        say(f"Its references and cells are programs of its authors. {_where_it_runs()}")
        if not yes:
            if not is_terminal(sys.stdin):
                raise UsageError("there is no terminal to ask on: --yes consents")
            if not click.confirm("Add it?", default=False):
                raise UsageError("it was not added")
        packs.add_pack(folder)
    click.echo(f"Added. `tutor --pack {info.name}` opens it; your record of it is its own.")


@pack_command.command("remove")
@click.argument("name")
def remove(name: str) -> None:
    """Remove a pack. Your record and your files of it stay, and count again once it is back."""
    click.echo(f"Removed. Your record and your files of it are still in {packs.remove_pack(name)}.")


@pack_command.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
def list_packs(as_json: bool) -> None:
    """The packs that were added, and those of installed packages that were not."""
    added = list(packs.list_added_packs())
    others = sorted(set(packs.find_offered_packs()) - {pack.name for pack in added})
    if as_json:
        click.echo(json.dumps({"packs": [asdict(pack) for pack in added], "installed": others}))
        return
    for pack in added:
        say(f"{pack.name} {pack.version}: {pack.about} ({pack.licence})")
    for name in others:
        say(f"{name}: in an installed package; `tutor pack add {name}` adds it")
    if not added and not others:
        click.echo("There is no pack. `tutor pack add FOLDER` adds one.")


def _where_it_runs() -> str:
    if sandbox.is_available():
        return (
            "They run in bubblewrap's sandbox: no network, your home folder and "
            f"{paths.data_dir()} hidden, all other files read-only."
        )
    return (
        "They run with your rights, because bubblewrap does not work here: they can read and change "
        "your files and use the network (Debian, Ubuntu: apt install bubblewrap)."
    )
