"""Atomic writing of a file, used for everything that holds a learner's own text."""

import errno
import os
import stat
import tempfile
from pathlib import Path

from tutor.base.errors import StorageError

_REASONS = {
    errno.ENOENT: "no such folder",
    errno.ENOTDIR: "a part of its path is no folder",
    errno.EISDIR: "it is a folder",
    errno.EACCES: "you have no rights to write there",
    errno.EPERM: "you have no rights to write there",
    errno.EROFS: "that place is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your share of the disk is full",
}


def make_write_error(path: Path, error: OSError) -> StorageError:
    """Return the error for a file of the learner's choice that cannot be written."""
    reason = _REASONS.get(error.errno or 0) or error.strerror or str(error)
    if error.errno == errno.ENOENT and path.parent.is_dir():
        reason = "that folder takes no new file"  # of the kernel's own, such as /proc
    return StorageError(f"cannot write {path}: {reason}")


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
        raise make_write_error(path, error) from None


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
