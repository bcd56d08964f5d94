"""The days that a lesson names and that have no lesson yet, and a message for each of them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tutor.course.catalog.overview import find_written_neighbour
from tutor.course.catalog.pointers import Pointer
from tutor.course.model import Lesson, Prose
from tutor.course.reading.links import days_named
from tutor.course.reading.locations import lesson_files

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course


def list_named_days(lesson: Lesson) -> tuple[int, ...]:
    """The days that a lesson's prose names, each once, ascending."""
    blocks = (block for section in lesson.sections for block in section.blocks)
    return tuple(
        sorted(
            {day for block in blocks if isinstance(block, Prose) for day in days_named(block.text)}
        )
    )


def find_absent_days(course: "Course", lesson: Lesson) -> tuple[int, ...]:
    """The days of the outline that a lesson names and that have no lesson, ascending."""
    written = lesson_files(course.root)
    outline = {day.day for day in course.days}
    return tuple(day for day in list_named_days(lesson) if day in outline and day not in written)


def explain_unwritten_day(course: "Course", day: int, places: bool = True) -> str:
    """Say that `day` has no lesson, what serves until it has, and the next one that is written; "" where
    it has a lesson.

    With `places` it names the sections, terms and addresses too: a corner of the screen has no room
    for them. Raises `UsageError` for a faulty file on the way.
    """
    if day in lesson_files(course.root):
        return ""
    title = next((f", {one.title}," for one in course.days if one.day == day), "")
    missing = f"Day {day}{title} is not written yet."
    pointer = course.pointers().get(day)
    if pointer is not None:
        missing = f"{missing} Meanwhile: {pointer.serves}"
        if places:
            missing = f"{missing} See {'; '.join(_places(course, pointer))}."
    following = find_written_neighbour(course.overview().days, day)
    if following is None:
        return missing
    return f"{missing} The next day that is written is Day {following.day}, {following.title}."


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
