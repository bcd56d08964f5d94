"""A recall day leans on the days before it: its questions, ticks and models name what taught them."""

import re
from collections.abc import Collection

import pytest

from tutor.course.catalog.course import Course, open_course
from tutor.course.model import Drill, Lesson, Predict, Prose, Quiz
from tutor.memory.course_sync import page_of

_LINK = re.compile(r"\]\(lesson:(\d+)/")

# the day, and the days that it looks back on
RECALL: dict[int, Collection[int]] = {
    14: range(1, 14),
    28: range(15, 28),
    42: range(29, 42),
    49: (*range(29, 42), *range(43, 49)),
    63: range(57, 63),
}


@pytest.fixture(scope="module")
def course() -> Course:
    return open_course()


@pytest.fixture(params=RECALL, ids=lambda day: f"day {day}")
def day(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


def _lesson(course: Course, day: int) -> Lesson:
    lesson = course.lesson(day)
    assert lesson is not None
    return lesson


def _quiz(course: Course, day: int) -> Quiz:
    quiz = course.quiz(day)
    assert quiz is not None
    return quiz


def test_the_quiz_asks_about_every_written_day_of_the_phase(course: Course, day: int) -> None:
    written = {before for before in RECALL[day] if course.lesson(before) is not None}
    assert written - {question.days[0] for question in _quiz(course, day).questions} == set()


def test_every_question_names_the_section_that_taught_it(course: Course, day: int) -> None:
    for question in _quiz(course, day).questions:
        number, _, title = page_of(course, question)
        assert number in RECALL[day], question.id
        if course.lesson(number) is not None:
            assert f"Day {number}, {title}" in question.source, question.id


def test_every_tick_names_work_of_the_days_before(course: Course, day: int) -> None:
    exercises = course.exercises()
    for item in _quiz(course, day).checklist:
        days = set()
        for row in item.evidence:
            if row.kind == "exercise":
                days.add(exercises[row.name].day)
            elif row.kind == "question":
                question = course.question(row.name)
                assert question is not None, row.name
                days.add(question.day)
            else:
                assert int(row.name.partition("/")[0]) in RECALL[day], item.id
        assert days & set(RECALL[day]), item.id


def test_a_section_that_asks_says_which_section_taught_it(course: Course, day: int) -> None:
    asking = 0
    for section in _lesson(course, day).sections[4:]:  # after the case, the order and the map
        if any(isinstance(block, Predict | Drill) for block in section.blocks):
            asking += 1
            prose = "".join(block.text for block in section.blocks if isinstance(block, Prose))
            linked = {int(number) for number in _LINK.findall(prose)}
            assert linked & set(RECALL[day]), section.title
            assert max(linked) < day, section.title
    assert asking >= 5
