"""The lock on a record's folder: one process at a time opens, copies or restores the record."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_LOOK_AGAIN = 0.02  # seconds


@contextmanager
def one_process_at_a_time(folder: Path, seconds: float | None = None) -> Iterator[bool]:
    """Lock `folder`, so that two processes neither rename a damaged record nor write one backup at once.

    Yields True. Another process is waited for, for `seconds` at most if they are given; then it yields
    False, without the lock. On a file system without locks it yields True. Raises `OSError` where the
    lock's file cannot be written. It is not to be taken again inside.
    """
    import fcntl

    with (folder / "record.lock").open("w") as lock:
        ends = None if seconds is None else time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | (0 if ends is None else fcntl.LOCK_NB))
            except BlockingIOError:
                if ends is not None and time.monotonic() >= ends:
                    yield False
                    return
                time.sleep(_LOOK_AGAIN)
            except OSError:  # there are no locks here; usually there is one process
                break
            else:
                break
        yield True
