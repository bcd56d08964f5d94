"""The widths of panes, stored in `layout.json` in the data folder.

They are not settings: nobody writes the file by hand. If it is missing or damaged, only the widths are
lost.
"""

import json
from contextlib import suppress
from pathlib import Path

from tutor.base import paths
from tutor.base.atomic_files import write
from tutor.base.errors import UsageError

LEAST, MOST = 20, 80  # per cent of the width
_LARGEST = 10_000  # bytes


def sizes_file() -> Path:
    """Return the path of the file with the panes' widths."""
    return paths.data_dir() / "layout.json"


def read_share(name: str, default: int = 50) -> int:
    """The per cent of the width that the left pane of screen `name` has."""
    stored = _read().get(name)
    return clamp_share(stored) if type(stored) is int else default


def clamp_share(percent: int) -> int:
    """Return the percentage within the bounds at which both panes can still be used."""
    return max(LEAST, min(MOST, percent))


def keep_share(name: str, percent: int) -> None:
    """Store a share. Ignore a read-only disk: the widths are not important enough for an error."""
    with suppress(UsageError):
        write(sizes_file(), json.dumps({**_read(), name: clamp_share(percent)}) + "\n")


def _read() -> dict[str, object]:
    try:
        with sizes_file().open(encoding="utf-8") as opened:
            sizes = json.loads(opened.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return sizes if isinstance(sizes, dict) else {}
