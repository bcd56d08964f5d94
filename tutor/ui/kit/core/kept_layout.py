"""This file keeps how the learner left the screens: widths of panes, the row of a lesson. These are no
settings: nobody writes them by hand, and if the file is missing or damaged, only the look is lost."""

import json
from contextlib import suppress
from pathlib import Path

from tutor.base import paths
from tutor.base.atomic_files import write
from tutor.base.errors import UsageError

_LARGEST = 10_000  # bytes


def layout_file() -> Path:
    """The file with all values, as JSON."""
    return paths.data_dir() / "layout.json"


def read_layout(name: str) -> object:
    """The value kept under `name`, as JSON has it; None if there is none."""
    return _read().get(name)


def keep_layout(name: str, value: object) -> None:
    """Store a value. Ignore a read-only disk: the look is not important enough for an error."""
    kept = _read()
    if kept.get(name) != value:
        with suppress(UsageError):
            write(layout_file(), json.dumps({**kept, name: value}) + "\n")


def _read() -> dict[str, object]:
    try:
        with layout_file().open(encoding="utf-8") as opened:
            kept = json.loads(opened.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}
