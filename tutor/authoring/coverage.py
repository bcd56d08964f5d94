"""`lessons/coverage.toml`: which part of the course covers which item of the pages it grew from.

    [inventory]
    day-1 = { prefix = "S1", items = 30 }      # S1-01 … S1-30 are to be covered
    [features]
    map = "where in the program it is"
    [day-1]
    "S1-05" = ["cell:2", "question:d01-linear-op"]

A target that does not exist covers nothing. A day of the inventory counts once its lesson is written.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from tutor.course.catalog.course import Course
from tutor.course.model import Lesson
from tutor.course.reading.faults import Fault, read_text


@dataclass(frozen=True)
class Coverage:
    covered: int
    of: int
    missing: tuple[str, ...]
    faults: tuple[Fault, ...]


def coverage(course: Course) -> Coverage:
    """Return what is covered, and every entry that points nowhere; both are empty without the file."""
    path = course.root / "lessons" / "coverage.toml"
    if not path.exists():
        return Coverage(0, 0, (), ())
    text = read_text(path)
    try:
        data = tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        return Coverage(0, 0, (), (Fault(path, error.lineno, "", "TOML", error.msg),))
    features = data.get("features", {})
    covered, wanted, missing, faults = 0, 0, [], []
    for key, plan in data.get("inventory", {}).items():
        lesson = course.lesson(int(key.removeprefix("day-")))
        if lesson is None:
            continue
        targets = set(_targets(course, lesson)) | {f"feature:{name}" for name in features}
        for number in range(1, int(plan["items"]) + 1):
            item = f"{plan['prefix']}-{number:02d}"
            wanted += 1
            named = _names(data.get(key, {}).get(item))
            bad = [target for target in named if target not in targets]
            for target in bad:
                faults.append(_fault(path, text, item, target))
            if named and not bad:
                covered += 1
            else:
                missing.append(item)
    return Coverage(covered, wanted, tuple(missing), tuple(faults))


def _names(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


def _targets(course: Course, lesson: Lesson) -> Iterator[str]:
    """Everything of one day that an item may point at."""
    yield from (f"lesson:{section.slug}" for section in lesson.sections)
    yield from (f"cell:{cell.index}" for cell in lesson.cells)
    yield from (f"question:{p.question.id}" for p in lesson.predictions)
    quiz = course.quiz(lesson.day)
    if quiz is not None:
        yield from (f"question:{question.id}" for question in quiz.questions)
        yield from (f"band:{band.name}" for band in quiz.bands)
        yield from (f"checklist:{item.id}" for item in quiz.checklist)
        yield from (f"misconception:{item.id}" for item in quiz.misconceptions)
        prompts = quiz.reflection.prompts if quiz.reflection else ()
        yield from (f"reflection:{prompt.id}" for prompt in prompts)
    yield from (f"exercise:{slug}" for slug in course.exercises())


def _fault(path: Path, text: str, item: str, target: str) -> Fault:
    line = next((i for i, t in enumerate(text.splitlines(), 1) if t.startswith(f'"{item}"')), 1)
    return Fault(path, line, item, "a part of the day, an exercise or a feature", target)
