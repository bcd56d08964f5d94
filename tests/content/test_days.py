"""What a finished day holds: enough to run, to commit to, to see and to be asked about."""

import re
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise

import pytest

from tutor.authoring.day_check import day_warnings
from tutor.base.paths import course_root
from tutor.course.catalog.course import Course, open_course
from tutor.course.catalog.overview import find_written_neighbour, list_unwritten_between
from tutor.course.catalog.unwritten_days import find_absent_days
from tutor.course.model import Lesson, Prose, Question, Quiz
from tutor.course.reading.links import days_named

RECALL = (14, 28, 42, 49, 63)  # days that ask before they show, and lean on the days before them
_OLDER = (6, 9, 10)  # of the days with a lesson, those that are not held to the rules below
WRITTEN = tuple(
    day
    for path in sorted((course_root() / "lessons").glob("day-*.md"))
    if (day := int(path.name[4:6])) not in _OLDER
)

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_IMPORT = re.compile(r"^ *from (tutor[.\w]*) import ([\w, ]+)$", re.MULTILINE)
_EXERCISE = re.compile(r"exercise\s+`([a-z][a-z0-9_]*)`")


@pytest.fixture(scope="module")
def course() -> Course:
    return open_course()


@pytest.fixture(scope="module")
def lessons(course: Course) -> list[Lesson]:
    found = [course.lesson(day) for day in WRITTEN]
    assert None not in found, "a day has no lesson"
    return [lesson for lesson in found if lesson]


@pytest.fixture(scope="module")
def quizzes(course: Course) -> list[Quiz]:
    found = [course.quiz(day) for day in WRITTEN]
    assert None not in found, "a day has no quiz"
    return [quiz for quiz in found if quiz]


def _prose(lesson: Lesson) -> Iterator[str]:
    for section in lesson.sections:
        for block in section.blocks:
            if isinstance(block, Prose):
                yield block.text


def _asked(lesson: Lesson) -> tuple[Question, ...]:
    return tuple(prediction.question for prediction in lesson.predictions)


@pytest.mark.slow
def test_the_days_are_not_warned_of(course: Course) -> None:
    assert [str(fault) for fault in day_warnings(course)] == []


def test_a_lesson_is_an_evening_not_a_book(lessons: list[Lesson]) -> None:
    for lesson in lessons:
        words = sum(len(_FENCE.sub("", text).split()) for text in _prose(lesson))
        least, most = (
            1200 if lesson.milestones else 1500,
            1800 if lesson.day in RECALL else 3300,
        )
        assert least <= words <= most, lesson.day


def test_a_lesson_runs_asks_and_draws(lessons: list[Lesson]) -> None:
    for lesson in lessons:
        fences = [f for text in _prose(lesson) for f in _FENCE.findall(text)]
        assert len(lesson.cells) >= 4, lesson.day
        assert len(lesson.predictions) >= 2, lesson.day
        assert sum(language == "text" for language, _ in fences) >= 2, lesson.day


def test_a_reader_commits_in_more_than_one_way(lessons: list[Lesson]) -> None:
    for lesson in lessons:
        assert len({question.kind for question in _asked(lesson)}) >= 2, lesson.day


def test_most_predictions_are_settled_by_running(lessons: list[Lesson]) -> None:
    for lesson in lessons:
        settled = [q for q in _asked(lesson) if q.answer_from]
        assert 2 * len(settled) >= len(lesson.predictions), lesson.day


def test_most_cells_say_what_a_machine_must_find(lessons: list[Lesson]) -> None:
    for lesson in lessons:
        checked = [cell for cell in lesson.cells if cell.expect]
        assert 2 * len(checked) >= len(lesson.cells), lesson.day


def test_every_exercise_a_lesson_sends_to_belongs_to_its_day(
    course: Course, lessons: list[Lesson]
) -> None:
    days = {slug: exercise.day for slug, exercise in course.exercises().items()}
    kinds = {day.day: day.kind for day in course.days}
    for lesson in lessons:
        named = {slug for text in _prose(lesson) for slug in _EXERCISE.findall(text)}
        # a checkpoint asks for the exercises of the days before it, in its checklist
        assert named or kinds[lesson.day] == "checkpoint", lesson.day
        assert {slug: days[slug] for slug in named} == dict.fromkeys(named, lesson.day)


def test_a_quiz_has_ten_questions_and_most_are_not_multiple_choice(quizzes: list[Quiz]) -> None:
    for quiz in quizzes:
        picked = [q for q in quiz.questions if q.kind in ("choice", "multi")]
        assert len(quiz.questions) >= 10, quiz.day
        assert 2 * len(picked) <= len(quiz.questions), quiz.day


def test_a_quiz_closes_with_a_judgement_for_every_score(quizzes: list[Quiz]) -> None:
    for quiz in quizzes:
        assert len(quiz.bands) >= 3, quiz.day
        assert quiz.bands[-1].min == 0, quiz.day
        assert all(band.advice for band in quiz.bands), quiz.day


def test_a_figure_is_drawn_from_what_ran_here(lessons: list[Lesson]) -> None:
    for lesson in lessons:
        assert any(cell.plot or cell.access or cell.drawing for cell in lesson.cells), lesson.day


def test_what_course_files_import_from_the_product_exists() -> None:
    root = course_root()
    files = [*root.glob("lessons/*.md"), *root.glob("kernels/*/**/*.py")]
    found = 0
    for path in files:
        for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
            for name in names.split(","):
                found += 1
                part = f"{module}.{name.strip()}"  # of a module, or a module of a package
                known = hasattr(import_module(module), name.strip()) or find_spec(part)
                assert known, f"{path.name}: {part}"
    assert found >= 10  # the pattern still finds them


def test_a_project_leads_through_its_milestones_and_asks_for_words(course: Course) -> None:
    projects = [day.day for day in course.days if day.kind == "project"]
    lessons = [lesson for day in projects if (lesson := course.lesson(day))]
    assert lessons
    exercises = course.exercises()
    for lesson in lessons:
        text = "\n".join(_prose(lesson))
        parts = Counter(each.project for each in lesson.milestones)  # "": there is no choice
        assert all((2 if name else 3) <= count <= 8 for name, count in parts.items())
        for each in lesson.milestones:
            assert f"`{each.exercise}`" in text or f"(exercise:{each.exercise})" in text
            assert exercises[each.exercise].day <= lesson.day
            assert each.yardstick, f"{each.exercise}: compared with what?"
        own = {slug for slug, exercise in exercises.items() if exercise.day == lesson.day}
        assert own <= {each.exercise for each in lesson.milestones}
        assert sum(question.kind == "open" for question in lesson.questions) >= 2


def test_beliefs_in_boxes_stay_rare() -> None:
    """A box that says what is often thought is for the eight beliefs that cost most."""
    texts = [path.read_text("utf-8") for path in (course_root() / "lessons").glob("day-*.md")]
    assert 1 <= sum(text.count("> **Often thought:**") for text in texts) <= 8


def test_each_written_day_leads_to_the_next_one(course: Course) -> None:
    days = course.overview().days
    for day, following in pairwise(day for day in days if day.written):
        assert find_written_neighbour(days, day.day) == following
        assert find_written_neighbour(days, following.day, -1) == day


def test_a_checkpoint_names_the_first_of_the_days_that_come_later(course: Course) -> None:
    """Then the end of the page says what serves meanwhile, and which day to go on with."""
    days = course.overview().days
    for day, following in pairwise(day for day in days if day.written):
        missing = list_unwritten_between(days, day.day, following.day)
        if day.kind == "checkpoint" and missing:
            lesson = course.lesson(day.day)
            assert lesson is not None
            assert missing[0] in find_absent_days(course, lesson), day.day
            named = list(days_named(_advice(course, day.day)))
            assert not named or named[0] in (missing[0], following.day), day.day


def _advice(course: Course, day: int) -> str:
    quiz = course.quiz(day)
    assert quiz is not None
    return quiz.bands[0].advice
