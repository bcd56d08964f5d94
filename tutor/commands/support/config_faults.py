"""Faults in the settings, told on stderr: each once, though several parts of a command read them."""

from collections.abc import Iterable

import click

_told: set[str] = set()


def tell_faults(faults: Iterable[str]) -> None:
    """Print each fault that was not told yet."""
    for fault in faults:
        if fault not in _told:
            _told.add(fault)
            click.echo(f"tutor: {fault}", err=True)
