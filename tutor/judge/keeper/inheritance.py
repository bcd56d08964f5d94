"""The things that a forked process gets from its caller instead of from its parent."""

import contextlib
import os

from tutor.judge.model.keeper_messages import Surroundings


def temporary_folder(given: Surroundings) -> str | None:
    """Return the folder of the caller's temporary files, as `tempfile` would choose it; None if there
    is none in which this process may write."""
    named = [given.environment.get(name) for name in (b"TMPDIR", b"TEMP", b"TMP")]
    for folder in (*named, b"/tmp", b"/var/tmp"):
        if folder and os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
            return os.fsdecode(folder)
    return None


def apply(given: Surroundings) -> None:
    """Take over environment, niceness and cores. Niceness can only grow (nice(2))."""
    os.environb.clear()
    os.environb.update(given.environment)
    with contextlib.suppress(OSError):
        os.nice(max(0, given.niceness - os.nice(0)))
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, given.cores)
