"""The next exercise: one rule for home, the end of a day, a verdict, lists and commands."""

from clock import Clock

from tutor.course.catalog.course import open_course
from tutor.memory.next_exercise import find_next_exercise
from tutor.memory.record import Record
from tutor.memory.store.rows import JudgedProgram

COURSE = open_course()
OF_DAY_3 = [e.slug for e in COURSE.overview().exercises if e.day == 3]


def _try(record: Record, clock: Clock, slug: str, passed: bool = False) -> None:
    clock.forward(minutes=1)
    record.activity.attempt(JudgedProgram(slug, "", {}, passed, "cpu"))


def test_the_days_own_exercises_come_first_and_of_these_a_begun_one(
    record: Record, clock: Clock
) -> None:
    assert find_next_exercise(COURSE, record, 3) == OF_DAY_3[0]
    _try(record, clock, OF_DAY_3[2])
    _try(record, clock, "vector_add")
    assert find_next_exercise(COURSE, record, 3) == OF_DAY_3[2]
    _try(record, clock, OF_DAY_3[2], passed=True)
    assert find_next_exercise(COURSE, record, 3) == OF_DAY_3[0]
    assert find_next_exercise(COURSE, record, 3, {OF_DAY_3[0]}) == OF_DAY_3[1]


def test_then_come_a_begun_one_those_of_begun_days_and_later_ones(
    record: Record, clock: Clock
) -> None:
    for slug in OF_DAY_3:
        _try(record, clock, slug, passed=True)
    first_of = {e.day: e.slug for e in reversed(COURSE.overview().exercises)}
    assert find_next_exercise(COURSE, record, 3) == first_of[4]
    record.activity.section_read(1, 0)
    assert find_next_exercise(COURSE, record, 3) == first_of[1]
    _try(record, clock, "vector_add")
    assert find_next_exercise(COURSE, record, 3) == "vector_add"


def test_there_is_none_once_all_are_right(record: Record, clock: Clock) -> None:
    for exercise in COURSE.overview().exercises:
        _try(record, clock, exercise.slug, passed=True)
    assert find_next_exercise(COURSE, record, 1) is None
