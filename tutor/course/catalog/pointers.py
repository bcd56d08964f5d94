"""Reads `lessons/pointers.toml`: what a learner can read instead of a day that has no lesson yet.

    [[pointer]]
    day = 5
    serves = "The roofline is drawn and computed on Day 14."
    to = ["lesson:14/a-roofline-you-can-ask", "term:roofline", "https://…"]

A pointer is used only while its day has no lesson.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from tutor.course.reading.faults import format_value
from tutor.course.reading.toml_table import Table, read_table

_TARGET = re.compile(r"lesson:\d+/[a-z0-9-]+|term:[a-z0-9-]+|https?://\S+")


@dataclass(frozen=True)
class Pointer:
    """`to`: "lesson:DAY/section-slug", "term:ID" of the glossary, or an address."""

    day: int
    serves: str
    to: tuple[str, ...]
    line: int = 0


def pointers_file(root: Path) -> Path:
    """Return the path of `pointers.toml` in the course at `root`; it may be missing."""
    return root / "lessons" / "pointers.toml"


def read_pointers(path: Path) -> dict[int, Pointer]:
    """Day -> its pointer. Raises `CourseFault` with all mistakes of the file."""
    file = read_table(path)
    pointers: dict[int, Pointer] = {}
    for table in file.tables("pointer", least=1):
        pointer = _pointer(table)
        if pointer.day in pointers:
            table.fault("day", "each day once", f"{pointer.day} again")
        pointers[pointer.day] = pointer
    file.finish("a list of pointers")
    file.raise_faults()
    return pointers


def _pointer(table: Table) -> Pointer:
    pointer = Pointer(
        day=table.integer("day", 1),
        serves=table.text("serves"),
        to=table.texts("to", least=1),
        line=table.line(),
    )
    for i, target in enumerate(pointer.to, 1):
        if not _TARGET.fullmatch(target):
            table.fault(
                f"to.{i}", "lesson:DAY/SECTION, term:ID or an address", format_value(target)
            )
    table.finish("a pointer")
    return pointer
