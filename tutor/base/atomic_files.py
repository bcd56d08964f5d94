"""Atomic writing of a file, used for everything that holds a learner's own text."""

import os
import stat
import tempfile
from pathlib import Path

from tutor.base.errors import StorageError


def write(path: Path, text: str) -> None:
    """Replace the file's content atomically: a reader sees the old text or the new, never a part.

    Follows a symbolic link and keeps the file's mode. Raises `StorageError` if that fails.
    """
    target = path.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_file(target, text.encode("utf-8", "replace"))
        try:
            os.replace(temporary, target)
        except OSError:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None


def temporary_file(path: Path, data: bytes) -> str:
    """Return a file with `data` in the folder of `path`, with the mode that `path` has or would get."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            mode = stat.S_IMODE(path.stat().st_mode)
        except FileNotFoundError:
            umask = os.umask(0)
            os.umask(umask)
            mode = 0o666 & ~umask
        os.chmod(name, mode)
    except OSError:
        os.unlink(name)
        raise
    return name
