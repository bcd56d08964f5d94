"""The course at a glance, for `tutor list` and the home screen, without reading every lesson.

It is made once from the files and kept as JSON in the cache folder, stamped with each file's path,
modification time and size; any difference makes it anew. Imports stay light: a warm read needs
neither Markdown nor TOML.
"""

import json
import os
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.course.reading.locations import (
    exercise_folders,
    lesson_files,
    outline_file,
    quiz_files,
    reader_files,
)

Stamp = list[list[Any]]  # [path, mtime_ns, size] a file


class DayOverview(NamedTuple):
    """A day of the outline. `written` says whether its lesson is there and free of mistakes.

    `sections` are titles; `questions` counts the day's quiz, `predictions` those in its lesson;
    `minutes` is 0 for a day to come. Of each sitting there are its last section, from 0, and
    its minutes; most days have one. `section_minutes` are estimates: only their ratios count.
    """

    day: int
    title: str
    phase: int
    week: int
    kind: str
    goal: str
    written: bool = False
    minutes: int = 0
    sections: tuple[str, ...] = ()
    cells: int = 0
    predictions: int = 0
    questions: int = 0
    exercises: tuple[str, ...] = ()
    sitting_ends: tuple[int, ...] = ()
    sitting_minutes: tuple[int, ...] = ()
    section_minutes: tuple[float, ...] = ()
    milestones: tuple[tuple[str, str], ...] = ()  # an exercise and its project, "" of no choice

    def sitting_of(self, section: int) -> int:
        """Return the number of the sitting, from 1, in which a section is read."""
        return 1 + sum(section > end for end in self.sitting_ends[:-1])

    def sitting_words(self, section: int) -> str:
        """Return "sitting 1 of 2, 95 min"; of a day with one sitting its minutes."""
        if len(self.sitting_ends) < 2:
            return f"{self.minutes} min"
        number = self.sitting_of(section)
        return (
            f"sitting {number} of {len(self.sitting_ends)}, {self.sitting_minutes[number - 1]} min"
        )

    def sitting_end(self, section: int) -> str:
        """Say that a sitting ends with a section and what follows; "" where none ends."""
        if section not in self.sitting_ends[:-1]:
            return ""
        number = self.sitting_of(section)
        return (
            f"Sitting {number} of {len(self.sitting_ends)} ends here: a good place to stop. "
            f"The next one takes about {self.sitting_minutes[number]} minutes; Continue leads to it."
        )


class ExerciseOverview(NamedTuple):
    """What lists show of an exercise; its task and hints are not read."""

    slug: str
    title: str
    day: int
    kind: str
    minutes: int
    needs: tuple[str, ...]


class ProjectOverview(NamedTuple):
    """A project to choose among those that the same day offers."""

    name: str
    title: str
    why: str
    needs: str
    day: int


class Overview(NamedTuple):
    """`faults`: one sentence a file that could not be read; what it teaches is left out above."""

    days: tuple[DayOverview, ...]
    exercises: tuple[ExerciseOverview, ...]
    phases: dict[int, str]
    weeks: dict[int, str]
    faults: tuple[str, ...] = ()
    projects: tuple[ProjectOverview, ...] = ()


def without_early_checkpoints(
    days: Sequence[DayOverview], fresh: Sequence[DayOverview]
) -> list[DayOverview]:
    """Return the days of `fresh` except checkpoints whose day before is not written."""
    missing = {day.day for day in days if not day.written}
    return [d for d in fresh if d.kind != "checkpoint" or d.day - 1 not in missing]


def find_written_neighbour(
    days: Sequence[DayOverview], day: int, step: int = 1
) -> DayOverview | None:
    """The next day of the course after `day` that can be read now; before it with a `step` of -1.

    A checkpoint whose day before is not written is left out, unless it is the very next day.
    """
    written = [candidate for candidate in days if candidate.written]
    if neighbour := next((candidate for candidate in written if candidate.day == day + step), None):
        return neighbour
    written = without_early_checkpoints(days, written)
    beside = [
        candidate
        for candidate in written[:: 1 if step > 0 else -1]
        if (candidate.day - day) * step > 0
    ]
    return next(iter(beside), None)


def list_unwritten_between(
    days: Sequence[DayOverview], after: int, before: int | None
) -> tuple[int, ...]:
    """Return the days that are not written after one day and before another; to the end with None."""
    last = days[-1].day + 1 if before is None and days else before or 0
    return tuple(day.day for day in days if after < day.day < last and not day.written)


def load_overview(root: Path) -> Overview:
    """The overview of the course under `root`, from the cache where it is fresh.

    Raises `UsageError` where the outline cannot be read. A cache that cannot be read or written
    costs time, nothing else.
    """
    stamp = _stamp(root)  # before reading: a file that changes meanwhile makes the cache stale
    cache = cache_file(root, "course", "json")
    if (cached := _load(cache, stamp)) is not None:
        return cached
    fresh = build(root)
    _save(cache, stamp, fresh)
    return fresh


def build(root: Path) -> Overview:
    """Read every file that an overview needs."""
    from tutor.course.catalog.day_minutes import one_project, parts_minutes, plan_sittings
    from tutor.course.catalog.outline import read_outline
    from tutor.course.reading.exercise import read_exercise
    from tutor.course.reading.lesson import read_lesson
    from tutor.course.reading.quiz import read_quiz

    outline = read_outline(outline_file(root))
    faults: list[str] = []

    def read(reader: Any, path: Path) -> Any:
        try:
            return reader(path)
        except UsageError as error:
            faults.append(str(error))
            return None

    lessons = {day: read(read_lesson, path) for day, path in lesson_files(root).items()}
    quizzes = {day: read(read_quiz, path) for day, path in quiz_files(root).items()}
    read_ones = [e for folder in exercise_folders(root) if (e := read(read_exercise, folder))]
    exercises = sorted(read_ones, key=lambda e: (e.day, e.order, e.slug))
    days = []
    for day in outline.days:
        lesson, quiz = lessons.get(day.day), quizzes.get(day.day)
        ours = [exercise for exercise in exercises if exercise.day == day.day]
        done = one_project(lesson, ours) if lesson else ours
        sittings = plan_sittings(lesson, quiz, done) if lesson else ()
        days.append(
            DayOverview(
                day=day.day,
                title=day.title,
                phase=day.phase,
                week=day.week,
                kind=day.kind,
                goal=day.goal,
                written=lesson is not None,
                minutes=lesson.minutes if lesson else 0,
                sections=tuple(s.title for s in lesson.sections) if lesson else (),
                cells=len(lesson.cells) if lesson else 0,
                predictions=len(lesson.predictions) if lesson else 0,
                questions=len(quiz.questions) if quiz else 0,
                exercises=tuple(exercise.slug for exercise in ours),
                sitting_ends=tuple(sitting.last for sitting in sittings),
                sitting_minutes=tuple(sitting.minutes for sitting in sittings),
                section_minutes=parts_minutes(lesson, quiz, done) if lesson else (),
                milestones=tuple((m.exercise, m.project) for m in lesson.milestones)
                if lesson
                else (),
            )
        )
    return Overview(
        days=tuple(days),
        exercises=tuple(
            ExerciseOverview(e.slug, e.title, e.day, e.kind, e.minutes, e.needs) for e in exercises
        ),
        phases=outline.phases,
        weeks=outline.weeks,
        faults=tuple(faults),
        projects=tuple(
            ProjectOverview(each.name, each.title, each.why, each.needs, day)
            for day, lesson in sorted(lessons.items())
            for each in (lesson.projects if lesson else ())
        ),
    )


def _stamp(root: Path) -> Stamp:
    """Return the state of the course's files and of their readers, on which the overview depends."""
    return stamp_of(
        (
            outline_file(root),
            *lesson_files(root).values(),
            *quiz_files(root).values(),
            *(folder / "exercise.toml" for folder in exercise_folders(root)),
            *reader_files(),
        )
    )


def stamp_of(files: Iterable[Path]) -> Stamp:
    """A file's path, modification time and size, for each; a missing one has the size -1."""
    stamp: Stamp = []
    for path in files:
        try:
            stat = path.stat()
        except OSError:
            stamp.append([str(path), 0, -1])
        else:
            stamp.append([str(path), stat.st_mtime_ns, stat.st_size])
    return stamp


def cache_file(root: Path, name: str, suffix: str) -> Path:
    """Return the cache file of a course.

    Another course and the shipped one have one each, so that they do not evict each other.

    Should two courses share a checksum, their stamps (which hold whole paths) still differ.
    """
    checksum = zlib.crc32(os.fsencode(root.resolve()))
    return paths.cache_dir() / f"{name}-{checksum:08x}.{suffix}"


def _load(cache: Path, stamp: Stamp) -> Overview | None:
    """The kept overview, or None where it is missing, stale or damaged."""
    try:
        kept = json.loads(cache.read_bytes())
        if kept["stamp"] != stamp:
            return None
        made = kept["overview"]
        return Overview(
            days=tuple(DayOverview(*_tuples(row)) for row in made["days"]),
            exercises=tuple(ExerciseOverview(*_tuples(row)) for row in made["exercises"]),
            phases={int(number): name for number, name in made["phases"].items()},
            weeks={int(number): name for number, name in made["weeks"].items()},
            faults=tuple(made["faults"]),
            projects=tuple(ProjectOverview(*row) for row in made["projects"]),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _tuples(row: list[Any]) -> list[Any]:
    return [tuple(_tuples(v)) if isinstance(v, list) else v for v in row]


def _save(cache: Path, stamp: Stamp, made: Overview) -> None:
    """Write a temporary file and rename it: no reader sees half a file. Failure is no error."""
    text = json.dumps({"stamp": stamp, "overview": made._asdict()}, ensure_ascii=False)
    beside = cache.with_name(f".{cache.name}.{os.getpid()}")
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8")
        beside.replace(cache)
    except OSError:
        try:
            beside.unlink(missing_ok=True)
        except OSError:
            return
