"""Days that have no lesson yet: what serves meanwhile, from `lessons/pointers.toml`.

    [[pointer]]
    day = 5
    serves = "The roofline is drawn and computed on Day 14."
    to = ["lesson:14/a-roofline-you-can-ask", "term:roofline", "https://…"]

A pointer is used only while its day has no lesson.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.course.model import Lesson, Prose
from tutor.course.reading.faults import found
from tutor.course.reading.locations import lesson_files
from tutor.course.reading.markdown_blocks import tokens
from tutor.course.reading.toml_table import Table, read_table

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course

_TARGET = re.compile(r"lesson:\d+/[a-z0-9-]+|term:[a-z0-9-]+|https?://\S+")
_MENTION = re.compile(r"\bDays?\s+(\d{1,3}(?:\s*(?:-|–|,|to|and)\s*\d{1,3})*)")
_STEP = re.compile(r"\s*(-|–|,|to|and)\s*")


@dataclass(frozen=True)
class Pointer:
    """`to`: "lesson:DAY/section-slug", "term:ID" of the glossary, or an address."""

    day: int
    serves: str
    to: tuple[str, ...]
    line: int = 0


def pointers_file(root: Path) -> Path:
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
            table.fault(f"to.{i}", "lesson:DAY/SECTION, term:ID or an address", found(target))
    table.finish("a pointer")
    return pointer


def days_named(markdown: str) -> Iterator[int]:
    """The days that prose names: "Day 5", "[Day 5]", "Days 29 to 41" (all of them), in order.

    Code, in fences or between backticks, names none.
    """
    for token in tokens(markdown):
        if token.type != "inline":
            continue
        text = "".join(
            " " if child.type in ("softbreak", "hardbreak") else child.content
            for child in token.children or ()
            if child.type != "code_inline"
        )
        for mention in _MENTION.finditer(text):
            yield from _days(mention[1])


def _days(mention: str) -> Iterator[int]:
    """The days of "29 to 41", "2, 3 and 5"."""
    parts = _STEP.split(mention)
    last = int(parts[0])
    yield last
    for step, number in zip(parts[1::2], parts[2::2], strict=True):
        day = int(number)
        yield from range(last + 1, day) if step in ("-", "–", "to") else ()
        yield day
        last = day


def named_in(lesson: Lesson) -> tuple[int, ...]:
    """The days that a lesson's prose names, each once, ascending."""
    blocks = (block for section in lesson.sections for block in section.blocks)
    return tuple(
        sorted(
            {day for block in blocks if isinstance(block, Prose) for day in days_named(block.text)}
        )
    )


def absent(course: "Course", lesson: Lesson) -> tuple[int, ...]:
    """The days of the outline that a lesson names and that have no lesson, ascending."""
    written = lesson_files(course.root)
    outline = {day.day for day in course.days}
    return tuple(day for day in named_in(lesson) if day in outline and day not in written)


def meanwhile(course: "Course", day: int, places: bool = True) -> str:
    """That `day` has no lesson and what serves until it has; "" where it has one.

    With `places` it names the sections, terms and addresses too: a corner of the screen has no room
    for them. Raises `UsageError` for a faulty file on the way.
    """
    if day in lesson_files(course.root):
        return ""
    title = next((f", {one.title}," for one in course.days if one.day == day), "")
    missing = f"Day {day}{title} is not written yet."
    pointer = course.pointers().get(day)
    if pointer is None:
        return missing
    said = f"{missing} Meanwhile: {pointer.serves}"
    return f"{said} See {'; '.join(_places(course, pointer))}." if places else said


def _places(course: "Course", pointer: Pointer) -> Iterator[str]:
    """Sections by their headings, then the terms together, then addresses."""
    terms = {term.id: term.term for term in course.glossary()}
    names = []
    addresses = []
    for target in pointer.to:
        kind, _, name = target.partition(":")
        if kind == "term":
            names.append(terms.get(name, name))
        elif kind == "lesson":
            yield _section(course, name)
        else:
            addresses.append(target)
    if names:
        yield f"{', '.join(names)} in the glossary"
    yield from addresses


def _section(course: "Course", name: str) -> str:
    """'Day 1, "Under the roof"' for "1/under-the-roof"."""
    day, _, slug = name.partition("/")
    lesson = course.lesson(int(day))
    sections = lesson.sections if lesson else ()
    title = next((section.title for section in sections if section.slug == slug), slug)
    return f'Day {day}, "{title}"'
