"""What a learner typed as cases, and the holes that were found with them, on disk."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from tutor.base import paths
from tutor.base.atomic_files import write
from tutor.judge.breaking.case_text import MOST_CASES, MOST_FILE, MOST_TEXT
from tutor.judge.model.case_table import CaseTable, Hole

_MOST_HOLES = 200
_LARGEST = 1 << 20  # bytes of the file of holes


def cases_path(slug: str) -> Path:
    """Return the file in which the learner's cases for an exercise are kept, one a line."""
    return paths.work_dir() / f"{slug}.cases.txt"


def read_cases(slug: str) -> tuple[str, ...]:
    """Return the kept cases; none where there is no file that can be read."""
    return split_cases(_read(cases_path(slug), MOST_FILE))


def split_cases(text: str) -> tuple[str, ...]:
    """Return the cases of a text: a line each; blank lines and lines that begin with # are none."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def read_case_text(slug: str) -> str:
    """Return the kept text as it was typed."""
    return _read(cases_path(slug), MOST_FILE)


def keep_case_text(slug: str, text: str) -> None:
    """Write the text. Raises `StorageError` if it cannot be kept."""
    bounded = "\n".join(line[: 4 * MOST_TEXT] for line in text.splitlines()[: 20 * MOST_CASES])
    write(cases_path(slug), bounded[:MOST_FILE] + "\n")


def holes_path() -> Path:
    """Return the file of the holes, one a line."""
    return paths.data_dir() / "holes.jsonl"


def keep_holes(table: CaseTable) -> None:
    """Add the holes of a table to the file, each once. Raises `StorageError` if it cannot be kept."""
    known = read_holes()
    new = [(table.exercise, hole) for hole in table.holes if (table.exercise, hole) not in known]
    if new:
        rows = [*known, *new][-_MOST_HOLES:]
        write(holes_path(), "".join(f"{_row(slug, hole)}\n" for slug, hole in rows))


def read_holes(exercises: Iterable[str] | None = None) -> list[tuple[str, Hole]]:
    """Return the kept holes with the exercise of each; of these exercises only, if they are named."""
    found = []
    for line in _read(holes_path(), _LARGEST).splitlines():
        try:
            row = json.loads(line)
            hole = Hole(*(str(row[name])[:MOST_TEXT] for name in ("case", "answer", "why")))
            slug = str(row["exercise"])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if exercises is None or slug in exercises:
            found.append((slug, hole))
    return found


def _row(slug: str, hole: Hole) -> str:
    return json.dumps({"exercise": slug, **asdict(hole)}, ensure_ascii=False)


def _read(path: Path, most: int) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(most)
    except OSError:
        return ""
