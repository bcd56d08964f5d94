"""A course: what is taught, read from its files on demand and kept."""

import os
import threading
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.course.catalog.overview import Overview, load_overview
from tutor.course.reading.locations import (
    exercise_folders,
    glossary_file,
    lesson_files,
    map_files,
    outline_file,
    placement_file,
    quiz_files,
)

if TYPE_CHECKING:  # the readers bring TOML and Markdown along; each method imports what it needs
    from collections.abc import Iterator

    from tutor.course.catalog.concept_map import ConceptMap
    from tutor.course.catalog.glossary import Term
    from tutor.course.catalog.outline import Outline
    from tutor.course.catalog.placement import Placement
    from tutor.course.catalog.pointers import Pointer
    from tutor.course.model import Day, Exercise, Lesson, Question, Quiz


def open_course(root: Path | None = None) -> "Course":
    """The course under `root`, or the one that ships with the program.

    Raises `UsageError` where there is none. Reads nothing yet: a mistake in a file is reported, as
    `UsageError`, by the method that needs the file.
    """
    root = paths.course_root() if root is None else root
    if not outline_file(root).is_file():
        raise UsageError(f"no course in {root}: {outline_file(root)} is missing")
    return Course(root)


class Course:
    """The lessons, quizzes and exercises under `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._lessons: dict[int, Lesson | None] = {}
        self._quizzes: dict[int, Quiz | None] = {}
        self._exercises: dict[str, Exercise] = {}
        self._overview_lock = threading.Lock()  # who comes second finds what the first has kept

    @cached_property
    def _outline(self) -> "Outline":
        from tutor.course.catalog.outline import read_outline

        return read_outline(outline_file(self.root))

    @property
    def days(self) -> "tuple[Day, ...]":
        return self._outline.days

    @property
    def phases(self) -> dict[int, str]:
        return self._outline.phases

    @property
    def weeks(self) -> dict[int, str]:
        return self._outline.weeks

    def overview(self) -> Overview:
        """The course at a glance; quick (see `tutor.course.catalog.overview`), and fresh at each
        call."""
        with self._overview_lock:
            return load_overview(self.root)

    def lesson(self, day: int) -> "Lesson | None":
        """The lesson of a day, None where it is not written. `UsageError` for a faulty file."""
        if day not in self._lessons:
            from tutor.course.reading.lesson import read_lesson

            path = lesson_files(self.root).get(day)
            self._lessons[day] = read_lesson(path) if path else None
        return self._lessons[day]

    def sound_lessons(self) -> "Iterator[Lesson]":
        """Yield the written lessons in the order of days, without those whose file is faulty."""
        from tutor.course.reading.faults import CourseFault

        for day in self.days:
            with suppress(CourseFault):
                if lesson := self.lesson(day.day):
                    yield lesson

    def quiz(self, day: int) -> "Quiz | None":
        """The quiz of a day, None where there is none. `UsageError` for a faulty file."""
        if day not in self._quizzes:
            from tutor.course.reading.quiz import read_quiz

            path = quiz_files(self.root).get(day)
            self._quizzes[day] = read_quiz(path) if path else None
        return self._quizzes[day]

    def glossary(self) -> "tuple[Term, ...]":
        """Every term, in the order of the file; none without one. `UsageError` for a faulty file."""
        return self._glossary

    @cached_property
    def _glossary(self) -> "tuple[Term, ...]":
        from tutor.course.catalog.glossary import read_glossary

        path = glossary_file(self.root)
        return read_glossary(path) if path.is_file() else ()

    def concept_map(self, phase: int) -> "ConceptMap | None":
        """The map of a phase's ideas, None where none is drawn. `UsageError` for a faulty file."""
        from tutor.course.catalog.concept_map import read_map

        path = map_files(self.root).get(phase)
        return read_map(path, phase) if path else None

    def pointers(self) -> "dict[int, Pointer]":
        """Day -> what serves while it has no lesson; none without the file."""
        return self._pointers

    @cached_property
    def _pointers(self) -> "dict[int, Pointer]":
        from tutor.course.catalog.pointers import pointers_file, read_pointers

        path = pointers_file(self.root)
        return read_pointers(path) if path.is_file() else {}

    def placement(self) -> "Placement | None":
        """Other ways to begin than with the first day; None without the file. `UsageError` for a
        faulty one."""
        from tutor.course.catalog.placement import read_placement

        path = placement_file(self.root)
        return read_placement(path) if path.is_file() else None

    def exercises(self) -> "dict[str, Exercise]":
        """Every exercise by its slug, in the order of days. `UsageError` for a faulty file."""
        every = [self._exercise(folder) for folder in exercise_folders(self.root)]
        return {e.slug: e for e in sorted(every, key=lambda e: (e.day, e.order, e.slug))}

    def exercise(self, slug: str) -> "Exercise":
        """Return an exercise. `UsageError`, naming close slugs, where there is none of that name."""
        slugs = {folder.name: folder for folder in exercise_folders(self.root)}
        if slug in slugs:
            return self._exercise(slugs[slug])
        import difflib

        name = slug.removesuffix(".py").rpartition("/")[2]  # a file, where its exercise goes
        close = [name] if name in slugs else difflib.get_close_matches(name, slugs, 3, 0.5)
        hint = f"did you mean {' or '.join(close)}?" if close else "`tutor list` names them all"
        no_file = ", and no such file" if name != slug and not os.path.exists(slug) else ""
        raise UsageError(f"no exercise {slug[:60]!r}{no_file}: {hint}")

    def _exercise(self, folder: Path) -> "Exercise":
        if folder.name not in self._exercises:
            from tutor.course.reading.exercise import read_exercise

            self._exercises[folder.name] = read_exercise(folder)
        return self._exercises[folder.name]

    def question(self, question_id: str) -> "Question | None":
        """The question, prediction or drill with this id, or None.

        Looks first at the day that the id's prefix names (`d22-`), so that a review session need
        not read the whole course. Raises `UsageError` where it is in no file that can be read, and
        one is faulty.
        """
        if question_id in self._questions:
            return self._questions[question_id]
        prefix = question_id.partition("-")[0][1:]
        first = [int(prefix)] if prefix.isdecimal() and len(prefix) < 4 else []
        faulty: UsageError | None = None
        for day in [*first, *sorted(lesson_files(self.root) | quiz_files(self.root))]:
            for index in (self._index_quiz, self._index_lesson):
                try:
                    index(day)
                except UsageError as error:
                    faulty = faulty or error
                if question_id in self._questions:
                    return self._questions[question_id]
        if faulty:
            raise faulty
        return None

    @cached_property
    def _questions(self) -> "dict[str, Question]":
        return {}

    def _index_quiz(self, day: int) -> None:
        if quiz := self.quiz(day):
            for question in quiz.questions:
                self._questions.setdefault(question.id, question)

    def _index_lesson(self, day: int) -> None:
        if lesson := self.lesson(day):
            for question in lesson.questions:
                self._questions.setdefault(question.id, question)
