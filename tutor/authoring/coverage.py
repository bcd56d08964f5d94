"""The part of the course's inventory that its lessons cover: `lessons/coverage.toml`, by day and item.

    [inventory]
    day-1 = { prefix = "S1", items = 30 }      # S1-01 … S1-30 are to be covered
    [features]
    map = "where in the program it is"
    [day-1]
    "S1-05" = ["cell:2", "question:d01-linear-op"]
    "S1-17" = 'lesson:hand-over-the-whole-function "six words or more of the sentence that covers it"'
    "S1-18" = 'lesson:5/per-cent-of-what "a sentence of Day 5, where another day covers the item"'

A section covers an item only with a quote of it; a section alone is a tag. A target that does not
exist covers nothing. A day of the inventory counts once its lesson is written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import tomli

from tutor.course.catalog.course import Course
from tutor.course.model import Lesson, Prose, Section
from tutor.course.reading.faults import Fault, read_course_file

LEAST_WORDS = 6  # of a quote
_ENTRY = re.compile(r'(?P<target>[^"]*?)(?:\s+"(?P<quote>.*)")?', re.DOTALL)


@dataclass(frozen=True)
class Coverage:
    """`tags`: items for which only sections are named, without a quote."""

    covered: int
    of: int
    missing: tuple[str, ...]
    tags: tuple[str, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class _Entry:
    """A place that covers an item. `quote` is None where there is none."""

    target: str
    quote: str | None


def coverage(course: Course) -> Coverage:
    """Return what is covered, and every entry that points nowhere; both are empty without the file."""
    path = course.root / "lessons" / "coverage.toml"
    if not path.exists():
        return Coverage(0, 0, (), (), ())
    text = read_course_file(path)
    try:
        data = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        return Coverage(0, 0, (), (), (Fault(path, error.lineno, "", "TOML", error.msg),))
    features = data.get("features", {})
    wanted, covered, missing, tags = 0, 0, [], []
    faults: list[Fault] = []
    for key, plan in data.get("inventory", {}).items():
        lesson = course.lesson(int(key.removeprefix("day-")))
        if lesson is None:
            continue
        targets = set(_targets(course, lesson)) | {f"feature:{name}" for name in features}
        for number in range(1, int(plan["items"]) + 1):
            item = f"{plan['prefix']}-{number:02d}"
            wanted += 1
            entries = _entries(data.get(key, {}).get(item))
            wrong = [w for entry in entries if (w := _wrong(entry, targets, course, lesson))]
            faults += [Fault(path, _line(text, item), item, *trouble) for trouble in wrong]
            if wrong or not entries:
                missing.append(item)
            elif all(_is_tag(entry) for entry in entries):
                tags.append(item)
            else:
                covered += 1
    return Coverage(covered, wanted, tuple(missing), tuple(tags), tuple(faults))


def _entries(value: Any) -> list[_Entry]:
    entries = []
    for text in [value] if isinstance(value, str) else list(value or []):
        match = _ENTRY.fullmatch(text)
        entries.append(_Entry(match["target"], match["quote"]) if match else _Entry(text, None))
    return entries


def _is_tag(entry: _Entry) -> bool:
    return entry.target.startswith("lesson:") and entry.quote is None


def _wrong(
    entry: _Entry, targets: set[str], course: Course, lesson: Lesson
) -> tuple[str, str] | None:
    """(expected, found) of a faulty entry; None for a sound one."""
    if entry.target not in targets:
        return "a part of the day, a section of another, an exercise or a feature", entry.target
    if entry.quote is None:
        return None
    kind, _, place = entry.target.partition(":")
    if kind != "lesson":
        return "a quote only of a section of a lesson", f"one of {entry.target}"
    day, slash, slug = place.rpartition("/")
    lesson = (course.lesson(int(day)) if slash else None) or lesson
    if (count := len(entry.quote.split())) < LEAST_WORDS:
        return f"a quote of {LEAST_WORDS} words or more", f"{count}: {entry.quote!r}"
    section = next(section for section in lesson.sections if section.slug == slug)
    if _plain(entry.quote) not in _plain(_text(section)):
        return f"words that stand in the section {slug} of {lesson.path.name}", repr(entry.quote)
    return None


def _text(section: Section) -> str:
    return "\n".join(block.text for block in section.blocks if isinstance(block, Prose))


def _plain(text: str) -> str:
    """The words with one blank between; a quote may leave out marks of emphasis, code and links."""
    words = re.sub(r"\[([^\]]*)\]\(\w+:[^)]*\)", r"\1", text)
    return " ".join(re.sub(r"[*_`]", "", words).split())


def _targets(course: Course, lesson: Lesson) -> Iterator[str]:
    """Everything that an item of one day may point at."""
    for other in filter(None, (course.lesson(day.day) for day in course.days)):
        yield from (f"lesson:{other.day}/{section.slug}" for section in other.sections)
    yield from (f"lesson:{section.slug}" for section in lesson.sections)
    yield from (f"cell:{cell.index}" for cell in lesson.cells)
    yield from (f"question:{question.id}" for question in lesson.questions)
    quiz = course.quiz(lesson.day)
    if quiz is not None:
        yield from (f"question:{question.id}" for question in quiz.questions)
        yield from (f"band:{band.name}" for band in quiz.bands)
        yield from (f"checklist:{item.id}" for item in quiz.checklist)
        yield from (f"misconception:{item.id}" for item in quiz.misconceptions)
        prompts = quiz.reflection.prompts if quiz.reflection else ()
        yield from (f"reflection:{prompt.id}" for prompt in prompts)
    yield from (f"exercise:{slug}" for slug in course.exercises())


def _line(text: str, item: str) -> int:
    lines = enumerate(text.splitlines(), 1)
    return next((i for i, line in lines if line.startswith(f'"{item}"')), 1)
