"""The file that keeps the traceback of a fault in the program itself."""

import traceback
from datetime import datetime, timezone
from pathlib import Path

from tutor.base import own_files, paths
from tutor.base.errors import ProgramFault

_MOST_BYTES = 200_000  # of older tracebacks that stay in the file


SAVED = "What you wrote is saved; start it again to go on."


def write_crash(error: BaseException, advice: str = "") -> ProgramFault:
    """Append the traceback of `error` to `crash.log` in the cache folder and return what the user is
    told, with `advice` in it; an update under the running program is named as what happened. If the
    file cannot be written, it holds the error instead of the place."""
    kind = type(error).__name__
    sentence = f"tutor stopped because of a fault of its own ({kind})"
    if own_files.have_changed():
        changed = "tutor's own files were changed while it ran, as an update does"
        sentence = f"{changed}, and it stopped ({kind})"
        advice = advice or "Start it again."
    try:
        log = _append_traceback(error)
    except Exception:  # whatever it is, the sentence below is what the user has to see
        return ProgramFault(" ".join(filter(None, (f"{sentence}: {error}.", advice))))
    return ProgramFault(
        " ".join(filter(None, (f"{sentence}.", advice, f"The details are in {log}")))
    )


def describe_failed_work(error: BaseException) -> str:
    """Append the traceback of an error, which ends a piece of work but not the program, to the same
    file, and return what the user is told."""
    sentence = f"A fault of tutor's own ended work in the background ({type(error).__name__})"
    try:
        log = _append_traceback(error)
    except Exception:  # the file cannot be written: it matters less than the sentence
        return f"{sentence}: {error}."
    return f"{sentence}. The details are in {log}"


def _append_traceback(error: BaseException) -> Path:
    """Append the traceback with the time to `crash.log`, which keeps the newest, and return its path.
    Raises `OSError` where it cannot be written."""
    text = "".join(traceback.format_exception(error))
    log = paths.ensure(paths.cache_dir()) / "crash.log"
    before = log.read_bytes()[-_MOST_BYTES:] if log.exists() else b""
    entry = f"\n{datetime.now(timezone.utc).isoformat(timespec='seconds')}\n{text}"
    log.write_bytes(before + entry.encode("utf-8", "backslashreplace"))
    return log
