"""`tutor completion`: what a shell needs to complete commands."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def completion_command(shell: str) -> None:
    """Print the script that lets SHELL complete commands, options, exercises and days.

    bash: put `eval "$(tutor completion bash)"` into ~/.bashrc. zsh: the same with zsh, into ~/.zshrc,
    after compinit. fish: tutor completion fish > ~/.config/fish/completions/tutor.fish
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None  # click knows the three
    click.echo(completion_class(_tutor(), {}, "tutor", "_TUTOR_COMPLETE").source())


def _tutor() -> click.Group:
    """Return the command line of this call. Commands do not import `tutor.cli`, which imports them."""
    command = click.get_current_context().find_root().command
    assert isinstance(command, click.Group)
    return command
