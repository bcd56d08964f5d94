"""Tell whether the program's own files were changed while it runs: an update mixes old and new parts."""

import os
import time
from collections.abc import Iterator

_STARTED = time.time()  # `tutor.__main__` imports this first
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_CODE = (".py", ".tcss", ".toml")


def have_changed(root: str = _PACKAGE, since: float = _STARTED) -> bool:
    """Return True if a file of the program was written, or put in its place, since it was started."""
    try:
        return any(changed > since for changed in _times(root))
    except OSError:  # a folder is on its way out, as an update does
        return True


def _times(folder: str) -> Iterator[float]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in ("__pycache__", "_course"):
                    yield from _times(entry.path)
            elif entry.name.endswith(_CODE):
                yield entry.stat().st_ctime
