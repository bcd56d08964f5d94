"""The learner's record, for commands that work on it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from tutor.base import paths
from tutor.commands.support.progress_line import ProgressLine

if TYPE_CHECKING:
    from tutor.memory.record import Record


@contextmanager
def use_record(*, to_read: bool = False) -> Iterator["Record"]:
    """Open the record until the block is left. Print each repair as one line on stderr.

    With `to_read`, one that cannot be written (a folder of somebody else, a full disk) is read all the
    same; then each write raises `StorageError`. Opening is long where a file was damaged, or was
    written by an older version.
    """
    from tutor.memory.record import open_or_read, open_record

    with ProgressLine("opening the record"):
        record = (open_or_read if to_read else open_record)(paths.record_file())
    try:
        if record.notice:
            click.echo(f"tutor: {record.notice}", err=True)
        yield record
    finally:
        record.close()
