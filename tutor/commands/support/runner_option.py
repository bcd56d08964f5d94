"""The option of every command that can judge on another machine (docs/runners.md)."""

from typing import TYPE_CHECKING

import click

from tutor.base.errors import UsageError
from tutor.commands.support.config_faults import tell_faults

if TYPE_CHECKING:
    from tutor.base.runner_table import Runner


def _or_default(_: click.Context, __: click.Parameter, name: str | None) -> "Runner | None":
    """Return the runner of that name, or without the option the one in the settings; None: local."""
    from tutor.base import config  # here, so that commands which judge nothing do not wait for it

    loaded = config.load_config()
    tell_faults(loaded.faults)  # where it judges, and for which GPU, follows from the settings
    return loaded.config.runner if name is None else find_runner(_, __, name)


def find_runner(_: click.Context, __: click.Parameter, name: str | None) -> "Runner | None":
    """Return the runner of that name; None for none and for local. Raises `UsageError`."""
    from tutor.base import config
    from tutor.base.runner_table import LOCAL

    if name is None or name == LOCAL:
        return None
    settings = config.load_config().config
    if name in settings.runners:
        return settings.runners[name]
    known = ", ".join([LOCAL, *settings.runners])
    raise UsageError(
        f"no runner {name[:40]!r}; there are: {known}. docs/runners.md tells how config.toml names one"
    )


def complete_runner(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """Return the names that complete what is typed."""
    from tutor.base import config
    from tutor.base.runner_table import LOCAL

    return [
        name for name in (LOCAL, *config.load_config().config.runners) if name.startswith(begun)
    ]


runner_option = click.option(
    "--runner",
    metavar="NAME",
    callback=_or_default,
    shell_complete=complete_runner,
    help="Where it runs: local, or a runner of config.toml. Default: setting judge_runner.",
)
