"""`tutor completion` and `tutor man`: shell completion and manual pages, made from the commands."""

from datetime import date
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from tutor import __version__
from tutor.base.errors import UsageError

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def completion_command(shell: str) -> None:
    """Print the script that lets SHELL complete commands, options, exercises and days.

    bash: put `eval "$(tutor completion bash)"` into ~/.bashrc. zsh: the same with zsh, into ~/.zshrc,
    after compinit. fish: tutor completion fish > ~/.config/fish/completions/tutor.fish
    """
    found = get_completion_class(shell)
    assert found is not None  # click knows the three
    click.echo(found(_tutor(), {}, "tutor", "_TUTOR_COMPLETE").source())


@click.command("man")
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), help="Default: ~/.local/share/man/man1."
)
def man_command(folder: Path | None) -> None:
    """Write manual pages, `man tutor` and one for each command, and print where."""
    from click_man.core import write_man_pages

    target = folder or Path.home() / ".local/share/man/man1"
    try:
        target.mkdir(parents=True, exist_ok=True)
        write_man_pages(
            "tutor", _whole(), version=__version__, target_dir=str(target), date=f"{date.today()}"
        )
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}") from None
    click.echo(str(target / "tutor.1"))


def _whole() -> click.Group:
    """The command line with every command imported: click-man reads `Group.commands`."""
    tutor = _tutor()
    context = click.Context(tutor, info_name="tutor")
    commands = {name: tutor.get_command(context, name) for name in tutor.list_commands(context)}
    return click.Group(
        "tutor",
        commands={name: command for name, command in commands.items() if command},
        params=list(tutor.params),
        help=tutor.help,
    )


def _tutor() -> click.Group:
    """Return the command line of this call. Commands do not import `tutor.cli`, which imports them."""
    found = click.get_current_context().find_root().command
    assert isinstance(found, click.Group)
    return found
