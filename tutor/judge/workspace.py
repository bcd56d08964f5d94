"""The learner's own files, one an exercise: copied from the starter, never overwritten without a
request.

No interface in here: the command line and the application both use these functions.
"""

import os
from pathlib import Path

from tutor.base import paths
from tutor.base.atomic_files import make_write_error, temporary_file
from tutor.base.atomic_files import write as write  # callers write work files by this module's name
from tutor.base.errors import UsageError
from tutor.course.model import Exercise

LARGEST = 1 << 20  # bytes; a kernel is a few kilobytes
LONGEST_LINE = 20_000  # characters


def path_for(exercise: Exercise, folder: Path) -> Path:
    """Return the path of the learner's answer to `exercise` under `folder`."""
    return folder / f"{exercise.slug}.py"


def start_learner_file(exercise: Exercise, folder: Path) -> Path:
    """Return the learner's file; copy it from the starter if there is none.

    Raises `UsageError` if it cannot be written.
    """
    path = path_for(exercise, paths.ensure(folder))
    if path.exists():
        return path
    try:
        starter = exercise.starter.read_bytes()
    except OSError as error:
        raise UsageError(f"{exercise.starter} cannot be read: {error.strerror}") from None
    try:
        temporary = temporary_file(path, starter)
        try:
            # A link, unlike a rename, fails if another process has made the file meanwhile.
            os.link(temporary, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links
            with open(path, "xb") as file:
                file.write(starter)
        finally:
            os.unlink(temporary)
    except FileExistsError:
        pass
    except OSError as error:
        raise make_write_error(path, error) from None
    return path


def read_learner_file(path: Path) -> str:
    """Return the text of a learner's file.

    Raises `UsageError` if it is missing, not UTF-8, or larger than an editor should open.
    """
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    if len(data) > LARGEST:
        raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB: too large to be edited here")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from None
    for number, line_text in enumerate(text.split("\n"), 1):
        if len(line_text) > LONGEST_LINE:
            raise UsageError(
                f"{path}, line {number}: {len(line_text)} characters; break the line up "
                "(too long to be edited here)"
            )
    return text


def read_own_answer(exercise: Exercise, folder: Path) -> str:
    """Return the learner's answer; "" where there is none that can be read, or only the starter."""
    path = path_for(exercise, folder)
    try:
        text = read_learner_file(path) if path.is_file() else ""
        return "" if text == read_learner_file(exercise.starter) else text
    except UsageError:
        return ""


Stamp = tuple[int, int, int]  # modification time in ns, size, inode


def stamp(path: Path) -> Stamp | None:
    """Return values that change when the file does; None if there is no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class WorkFile:
    """A learner's file as last seen on disk: `text` is what was read or written then."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = ""
        self._seen: Stamp | None = None
        self._pending: Stamp | None = None

    def load(self) -> str:
        """Read it. Raises `UsageError` (see `read_learner_file`)."""
        self._seen = stamp(self.path)
        self.text = read_learner_file(self.path)
        return self.text

    def save(self, text: str) -> None:
        """Write it. Ask `changed(settled=False)` first: this replaces whatever is there."""
        write(self.path, text)
        self._seen, self.text = stamp(self.path), text

    def find_change(self, *, settled: bool = True) -> str | None:
        """Return the text on disk if another program has changed it, else None.

        With `settled`, a change is reported once it has looked the same in two calls, so that an
        editor that truncates and then writes is not caught in between. A missing file is not a
        change, because editors that save by renaming remove it for a moment.
        """
        now = stamp(self.path)
        if now is None or now == self._seen:
            return None
        if settled and now != self._pending:
            self._pending = now
            return None
        before = self.text
        after = self.load()
        return after if after != before else None
