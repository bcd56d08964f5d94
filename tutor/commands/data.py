"""`tutor export`, `import`, `backup`, `restore`: the learner's access to their own data."""

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from tutor.base import paths
from tutor.base.atomic_files import make_write_error
from tutor.base.errors import UsageError
from tutor.base.number_text import plural
from tutor.commands.support.learner_file import check_new_file
from tutor.commands.support.open_record import use_record
from tutor.commands.support.progress_line import ProgressLine

if TYPE_CHECKING:
    from tutor.memory.record import Record

_SETTINGS = (
    "rollover_hour",
    "time_zone",
    "new_per_day",
    "reviews_per_day",
    "desired_retention",
    "easy_days",
)
_LONGEST_LINE = 1 << 25  # characters; a text of a learner has at most half as many


@click.command("export")
@click.argument("form", type=click.Choice(["anki", "jsonl"]))
@click.argument("path", type=click.Path(path_type=Path))
def export_command(form: str, path: Path) -> None:
    """Write PATH: the course's cards as an Anki package, or the whole record as JSON lines."""
    check_new_file(path)
    holds = f"{path} was not written"
    if form == "anki":
        from tutor.course.catalog.course import open_course
        from tutor.memory.schedule.anki_export import write_apkg

        with ProgressLine("making cards of the course", holds=holds):
            count = _write_whole(path, lambda part: write_apkg(open_course(), part))
        click.echo(f"{path}: {count} notes for Anki")
    else:
        with use_record(to_read=True) as record, ProgressLine("exporting", holds=holds) as progress:

            def report(done: int, of: int) -> None:
                progress.count("exporting", done, of)

            count = _write_whole(path, lambda part: record.export(part, report, path))
        entries = plural(count, "entry", "entries")
        click.echo(f"{path}: {entries}; `tutor import` merges them into another record")


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
def import_command(path: Path) -> None:
    """Merge what `tutor export jsonl` wrote into the record. Nothing is overwritten, and what is there
    now is backed up first. Of each setting the newer value counts."""
    with (
        use_record() as record,
        ProgressLine("importing", holds="nothing was imported") as progress,
    ):
        before = _read_settings(record)
        with suppress(UsageError):  # a new record has nothing to back up
            record.back_up()
        try:
            with path.open(encoding="utf-8-sig") as lines:
                merged = record.merge(_count_lines(lines, progress), str(path))
        except OSError as error:
            raise UsageError(f"cannot read {path} ({error.strerror})") from None
        except UnicodeDecodeError:
            raise UsageError(
                f"{path} is not text; `tutor export jsonl` writes what this command reads"
            ) from None
        taken = {
            name: value for name, value in _read_settings(record).items() if value != before[name]
        }
    added = plural(merged.added, "entry", "entries")
    click.echo(f"{added} imported, {merged.known} already here")
    for name, value in taken.items():
        click.echo(
            f"taken over as the newer setting: {name} is {value!r}, and was {before[name]!r}"
        )


def _read_settings(record: "Record") -> dict[str, object]:
    """The settings that a learner sets by hand."""
    return {name: record.settings.get(name) for name in _SETTINGS}


@click.command("backup")
@click.option("--list", "listed", is_flag=True, help="List the backups; make none.")
def backup_command(listed: bool) -> None:
    """Copy the record now. (A copy is also made by itself whenever something was learnt.)"""
    from tutor.memory.store import backups

    folder = backups.folder_of(paths.record_file())
    if not listed:
        before = backups.list_backups(folder)
        with (
            use_record() as opened,
            ProgressLine("copying the record", holds="no backup was made"),
        ):
            made = opened.back_up()
        click.echo(made)
        if made in before.values():
            click.echo("Nothing is new since that backup: no other was made.", err=True)
        return
    copies, aside = backups.list_backups(folder), backups.list_set_aside(folder)
    for moment, path in copies.items():
        _say_copy(moment, path)
    if not copies:
        click.echo(f"no backups yet in {folder}")
    if aside:
        click.echo("put aside by `tutor restore`:")
    for moment, path in aside.items():
        _say_copy(moment, path)


def _say_copy(moment: datetime, path: Path) -> None:
    click.echo(f"{moment:%Y-%m-%d %H:%M:%S}  {path.stat().st_size / 1e6:7.1f} MB  {path}")


@click.command("restore")
@click.argument("path", type=click.Path(path_type=Path))
def restore_command(path: Path) -> None:
    """Put the backup PATH in the record's place. What is there now is copied aside first."""
    # the copy back is one transaction, so ctrl+c leaves either the old or the new content
    holds = "the record holds either what it held before or the whole backup"
    with use_record() as record, ProgressLine("restoring", holds=holds):
        before = record.restore(path)
    click.echo(f"the record is now what {path} holds; what was there before: {before}")


def _write_whole(path: Path, write: Callable[[Path], int]) -> int:
    """Write the whole file or nothing. Raises `UsageError` if it cannot be written."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        count = write(part)
        part.replace(path)
    except OSError as error:
        raise make_write_error(path, error) from None
    finally:
        part.unlink(missing_ok=True)
    return count


def _count_lines(lines: TextIO, progress: ProgressLine) -> Iterator[str]:
    """Yield the lines and report their progress. The cards are computed after the last line."""
    size, done = os.fstat(lines.fileno()).st_size, 0
    while line := lines.readline(_LONGEST_LINE + 1):
        if len(line) > _LONGEST_LINE:
            raise UsageError(f"a line is longer than {_LONGEST_LINE >> 20} MiB; no export has such")
        done += len(line)
        if size:  # a pipe has no size
            progress.count("importing", min(done, size), size)
        yield line
    progress.say("importing, computing the cards anew")
