"""The settings, for a command that follows one of them."""

import click

from tutor.base.config import Config, load


def config() -> Config:
    """What the learner set; each fault of theirs is one line on stderr, and its default stands."""
    loaded = load()
    for fault in loaded.faults:
        click.echo(f"tutor: {fault}", err=True)
    return loaded.config
