"""The pieces that a course is proved in, one for each day and each exercise."""

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tutor.authoring import deep_proof, proof
from tutor.authoring.proof import CourseProof
from tutor.authoring.proof_cache import compute_key
from tutor.base.errors import UsageError
from tutor.base.extras import say_missing
from tutor.course.catalog.course import Course
from tutor.course.model import Cell, Exercise, Question
from tutor.course.reading.faults import CourseFault
from tutor.course.reading.locations import exercise_folders, lesson_files, quiz_files
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.hardware import presence
from tutor.judge.client import Judge

_WORK_OF_COMPILATION, _WORK_OF_SLOW_CELL = 2, 20  # in judgements of a text, half a second each


@dataclass(frozen=True)
class Piece:
    """`name`: a day's number or a slug. `key`: of its proof. `work`: judgements that take as long."""

    name: str
    key: str
    work: int
    prove: Callable[[Judge], Iterator[CourseProof]]


def list_pieces(course: Course, seed: int) -> dict[str, Piece]:
    """Return every piece of the course by its name, the long ones first; a piece uses one judge.

    A long one at the end would keep one judge busy while the others have nothing left to do. Files that
    cannot be read were reported before and are left out, and so is what needs a package that is missing.
    """
    made = [_make_day_piece(course, day, seed) for day in _list_written_days(course)]
    for folder in exercise_folders(course.root):
        with contextlib.suppress(CourseFault):
            exercise = course.exercise(folder.name)
            if can_judge(exercise):
                made.append(_make_exercise_piece(course.root, exercise, seed))
    return {piece.name: piece for piece in sorted(made, key=lambda piece: -piece.work)}


def can_judge(exercise: Exercise) -> bool:
    """Return False if this machine lacks an extra without which the exercise is only to be read."""
    return not say_missing(exercise.needs)


def list_deep_pieces(course: Course, seed: int) -> dict[str, Piece]:
    """Return a piece for each exercise whose proof is that of `deep_proof`, the long ones first."""
    made = []
    for name, piece in list_pieces(course, seed).items():
        with contextlib.suppress(UsageError, CourseFault):
            exercise = course.exercise(name)
            if exercise.kind == "cases":
                continue  # nothing of it is a program
            prove = functools.partial(deep_proof.prove_deeply, exercise=exercise, seed=seed)
            made.append(Piece(name, f"deep-{piece.key}", piece.work, prove))
    return {piece.name: piece for piece in made}


def _list_written_days(course: Course) -> list[int]:
    """The days that have a lesson or a quiz."""
    there = {**lesson_files(course.root), **quiz_files(course.root)}
    return [day.day for day in course.days if day.day in there]


def _make_exercise_piece(root: Path, exercise: Exercise, seed: int) -> Piece:
    count = 3 + len(exercise.right) + len(exercise.twist_answers)
    with contextlib.suppress(CourseFault):
        count += len(read_wrong_answers(exercise.folder))
    files = _list_files(exercise.folder)
    if exercise.aim:  # judged by the answers of that exercise
        files += _list_files(exercise.folder.parent / exercise.aim.of)
    key = compute_key(root, exercise.slug, files, seed)
    return Piece(
        exercise.slug,
        key,
        count,
        functools.partial(proof.prove_exercise, exercise=exercise, seed=seed),
    )


def _make_day_piece(course: Course, day: int, seed: int) -> Piece:
    gpu = presence.has_nvidia()
    asked: list[Question] = []
    work = 0
    with contextlib.suppress(CourseFault):
        if lesson := course.lesson(day):
            blocks = (block for section in lesson.sections for block in section.blocks)
            work += sum(_estimate_work(block) for block in blocks if isinstance(block, Cell))
            asked += lesson.questions
    with contextlib.suppress(CourseFault):
        if quiz := course.quiz(day):
            asked += quiz.questions
    judged = {question.exercise for question in asked if question.kind == "code"}
    work += 2 * sum(question.kind == "code" for question in asked)
    # An exercise's solution may be what a cell's access map shows.
    files = list(_list_day_files(course.root, day))
    for slug in judged | _find_shown_exercises(course, day):
        files += _list_files(course.root / "kernels" / slug)
    key = compute_key(course.root, f"day {day}", files, seed)
    prove = functools.partial(proof.prove_day, course=course, day=day, gpu=gpu)
    return Piece(str(day), key, work, prove)


def _find_shown_exercises(course: Course, day: int) -> set[str]:
    """The exercises whose solutions the cells of a lesson show."""
    with contextlib.suppress(CourseFault):
        lesson = course.lesson(day)
        looks = [cell.access for cell in lesson.cells] if lesson else []
        return {look.name for look in looks if look and look.of_exercise}
    return set()


def _list_day_files(root: Path, day: int) -> Iterable[Path]:
    """The day's lesson and quiz, and what is recorded for it or for every day."""
    named = f"day-{day:02d}"
    for folder in (root / "lessons", root / "quizzes"):
        yield from (path for path in folder.glob(f"{named}*") if path.is_file())
    for path in (root / "lessons" / "recorded").glob("*"):
        if path.is_file() and (named in path.name or "day-" not in path.name):
            yield path


def _list_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]


def _estimate_work(cell: Cell) -> int:
    """Return about how many judgements take as long as the cell."""
    if cell.slow:
        return _WORK_OF_SLOW_CELL
    return _WORK_OF_COMPILATION if cell.mode == "compile" else 0
