"""A learner's file: its text, and a name that is free for a new one; each error is one sentence."""

import errno
import os
from pathlib import Path

from tutor.base.atomic_files import make_write_error
from tutor.base.errors import UsageError

MAX_SOURCE = 1 << 20  # bytes; a kernel is a few thousand


def read_learner_text(path: Path, hint: str = "") -> str:
    """The file's text. `hint` says what to do if it does not exist. Raises `UsageError`."""
    try:
        with path.open("rb") as file:  # a device or a pipe has no known size
            data = file.read(MAX_SOURCE + 1)
        if len(data) > MAX_SOURCE:
            raise UsageError(f"{path} is larger than {MAX_SOURCE >> 20} MiB; is it the right file?")
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist{f'; {hint}' if hint else ''}") from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL byte in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path} cannot be read: {reason}") from None


def check_new_file(path: Path | None) -> None:
    """Raise `UsageError` if a new file was named that is there already, or has no folder to lie in."""
    if path is None:
        return
    try:
        if path.exists():
            raise UsageError(f"{path} exists already; name another file")
        path.absolute().parent.stat()
    except OSError as error:
        raise make_write_error(path, error) from None
    except ValueError as error:  # a NUL byte in the path
        raise UsageError(f"cannot write {path}: {error}") from None


def make_folder(folder: Path) -> Path:
    """Make a folder of the learner's choice if it is not there, and return it. Raises `StorageError`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "")
    except OSError as error:
        raise make_write_error(folder, error) from None
    return folder
