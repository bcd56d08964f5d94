"""One measurement at a time on this machine's GPU."""

import contextlib
import fcntl
import time
from collections.abc import Iterator

from tutor.base import paths

LOCK_SECONDS = 30.0
_LOOK_SECONDS = 0.05


@contextlib.contextmanager
def hold_gpu() -> Iterator[None]:
    """Wait while another tutor times on this machine's GPU; after `LOCK_SECONDS` go on anyway."""
    path = paths.cache_dir() / "gpu.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as lock:
        deadline = time.monotonic() + LOCK_SECONDS
        while time.monotonic() < deadline:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(_LOOK_SECONDS)
        yield  # closing the file frees the lock, also when this process is killed
