"""A `TUTOR_HOME` to measure in: a folder of its own with a small record, gone afterwards."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tutor.base import paths
from tutor.course import Course
from tutor.memory import open_record

_ANSWERS = 200  # a few weeks of work
_ATTEMPTS = 20


@contextmanager
def temporary_home(course: Course) -> Iterator[Path]:
    """Move what the program writes, here and in processes started here, to a temporary folder.

    Those processes keep compiled bytecode, as Python does by default: a learner's second start, and
    every one after it, finds it there.
    """
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="tutor-bench-", ignore_cleanup_errors=True) as folder:
        os.environ["TUTOR_HOME"] = folder
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        try:
            course.overview()  # kept on disk from the second start on: a learner meets that one
            _fill(course)
            yield Path(folder)
        finally:
            os.environ.clear()
            os.environ.update(before)


def _fill(course: Course) -> None:
    """Answers to the course's own questions and some attempts, as a learner would leave them."""
    quizzes = [quiz for day in course.days if (quiz := course.quiz(day.day))]
    questions = [question for quiz in quizzes for question in quiz.questions]
    record = open_record(paths.record_file())
    try:
        for number in range(_ANSWERS if questions else 0):
            question = questions[number % len(questions)]
            right = number % 4 != 0
            record.answer(question.id, question.day, "a", right, float(right), 3, 20.0, "quiz")
        for slug in list(course.exercises())[:_ATTEMPTS]:
            record.attempt(slug, "# a first try\n", {"passed": False}, False, "cpu-interpreter")
    finally:
        record.close()
