"""The file that keeps the traceback of a fault in the program itself."""

import traceback
from datetime import datetime

from tutor.base import paths
from tutor.base.errors import ProgramFault, StorageError

_MOST_BYTES = 200_000  # of older tracebacks that stay in the file


def write_crash(error: BaseException) -> ProgramFault:
    """Append the traceback of `error` to `crash.log` in the cache folder and return the sentence for
    the user. If the file cannot be written, the sentence holds the error instead."""
    text = "".join(traceback.format_exception(error))
    sentence = f"tutor stopped because of a fault of its own ({type(error).__name__})"
    try:
        log = paths.ensure(paths.cache_dir()) / "crash.log"
        before = log.read_bytes()[-_MOST_BYTES:] if log.exists() else b""
        entry = f"\n{datetime.now().astimezone().isoformat(timespec='seconds')}\n{text}"
        log.write_bytes(before + entry.encode("utf-8", "backslashreplace"))
    except (OSError, StorageError):
        return ProgramFault(f"{sentence}: {error}. What you wrote is saved.")
    return ProgramFault(
        f"{sentence}. What you wrote is saved; start it again to go on. The details are in {log}"
    )
