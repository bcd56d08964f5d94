"""`tutor export`, `import`, `backup`, `restore`: the learner's data is the learner's."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tutor import paths
from tutor.errors import UsageError

if TYPE_CHECKING:
    from tutor.memory import Record


@click.command("export")
@click.argument("form", type=click.Choice(["anki", "jsonl"]))
@click.argument("path", type=click.Path(path_type=Path))
def export_command(form: str, path: Path) -> None:
    """Write PATH: the course's cards as an Anki package, or the whole record as JSON lines."""
    if path.exists():
        raise UsageError(f"{path} exists already; name another file")
    if form == "anki":
        from tutor.course import open_course
        from tutor.memory.anki import write_apkg

        count = _written(path, lambda part: write_apkg(open_course(), part))
        click.echo(f"{path}: {count} notes for Anki")
    else:
        with _record() as record:
            count = _written(path, record.export)
        click.echo(f"{path}: {count} lines; `tutor import` merges them into another record")


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
def import_command(path: Path) -> None:
    """Merge what `tutor export jsonl` wrote into the record. Nothing is overwritten."""
    with _record() as record:
        try:
            with path.open(encoding="utf-8") as lines:
                merged = record.merge(lines, str(path))
        except OSError as error:
            raise UsageError(f"cannot read {path} ({error.strerror})") from None
        except UnicodeDecodeError:
            raise UsageError(
                f"{path} is no text; `tutor export jsonl` makes what is meant"
            ) from None
    click.echo(f"{merged.added} entries came in, {merged.known} were here before")


@click.command("backup")
@click.option("--list", "listed", is_flag=True, help="Name the backups there are; make none.")
def backup_command(listed: bool) -> None:
    """Copy the record now. (A copy is also made by itself whenever something was learnt.)"""
    from tutor.memory import backups

    record = paths.record_file()
    if not listed:
        with _record() as opened:
            made = opened.back_up()
        click.echo(made)
        return
    found = backups.dated(backups.folder_of(record))
    for moment, path in found.items():
        size = path.stat().st_size / 1e6
        click.echo(f"{moment:%Y-%m-%d %H:%M:%S}  {size:7.1f} MB  {path}")
    if not found:
        click.echo(f"no backups yet in {backups.folder_of(record)}")


@click.command("restore")
@click.argument("path", type=click.Path(path_type=Path))
def restore_command(path: Path) -> None:
    """Put the backup PATH in the record's place. What is there now is copied aside first."""
    with _record() as record:
        before = record.restore(path)
    click.echo(f"the record is now what {path} holds; what was there before: {before}")


def _written(path: Path, write: Callable[[Path], int]) -> int:
    """All of the file or nothing. Raises `UsageError` where it cannot be written."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        count = write(part)
        part.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path} ({error.strerror or error})") from None
    finally:
        part.unlink(missing_ok=True)
    return count


@contextmanager
def _record() -> "Iterator[Record]":
    from tutor.memory import open_record

    record = open_record(paths.record_file())
    if record.notice:
        click.echo(f"tutor: {record.notice}", err=True)
    try:
        yield record
    finally:
        record.close()
