"""Shared by all measurements: repeated times and their summary, and a temporary `TUTOR_HOME`."""

import math
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.memory.answering import keep_answer
from tutor.base import paths
from tutor.base.errors import CannotHere
from tutor.course.catalog.course import Course
from tutor.memory.record import open_record
from tutor.memory.store.rows import JudgedProgram

_ANSWERS = 200  # a few weeks of work
_ATTEMPTS = 20


@dataclass(frozen=True)
class Times:
    """Milliseconds, at least one of them."""

    ms: tuple[float, ...]

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Times":
        if not seconds:
            raise ValueError("nothing was measured")
        return cls(tuple(each * 1e3 for each in seconds))

    @property
    def median(self) -> float:
        return statistics.median(self.ms)

    def percentile(self, percent: float) -> float:
        """Nearest rank: the least value that `percent` of all values do not exceed."""
        rank = math.ceil(percent / 100 * len(self.ms))
        return sorted(self.ms)[max(rank, 1) - 1]

    def words(self) -> str:
        """`312 ms (n 8, 301 to 340)`."""
        return f"{_ms(self.median)} ms {self._range()}"

    def percentiles(self) -> str:
        """`p50 21 ms, p95 38 ms (n 40, 12 to 41)`."""
        p50, p95 = (_ms(self.percentile(percent)) for percent in (50, 95))
        return f"p50 {p50} ms, p95 {p95} ms {self._range()}"

    def _range(self) -> str:
        return f"(n {len(self.ms)}, {_ms(min(self.ms))} to {_ms(max(self.ms))})"


def timed(
    command: Sequence[str], environment: Mapping[str, str] | None = None, seconds: float = 300.0
) -> float:
    """Run a whole process; return its seconds. Raises `CannotHere` if it fails."""
    started = time.perf_counter()
    done = subprocess.run(
        command,
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        stdin=subprocess.DEVNULL,
    )
    took = time.perf_counter() - started
    if done.returncode:
        raise CannotHere(f"{' '.join(command[1:5])} failed: {done.stderr.strip()[-300:]}")
    return took


def rounded(ms: float) -> float:
    """To a tenth of a millisecond: nothing here is more exact."""
    return round(ms, 1)


def _ms(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}"


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
            keep_answer(
                record, question.id, question.day, "a", right, float(right), 3, 20.0, "quiz"
            )
        for slug in list(course.exercises())[:_ATTEMPTS]:
            record.activity.attempt(
                JudgedProgram(slug, "# a first try\n", {"passed": False}, False, "cpu-interpreter")
            )
    finally:
        record.close()
