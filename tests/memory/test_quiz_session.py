"""A quiz after a placement: what was right there is not asked again, and counts as answered."""

from pathlib import Path

import pytest
from answering import keep_answer

from tutor.course.catalog.course import open_course
from tutor.memory.day_summary import Score, day_summary
from tutor.memory.quiz_session import is_finished, open_session, say_where_it_begins
from tutor.memory.record import Record, open_record

QUIZ = open_course().quiz(1)
assert QUIZ is not None
QUESTIONS = QUIZ.questions[:4]


@pytest.fixture
def record(tmp_path: Path) -> Record:
    return open_record(tmp_path / "record.sqlite3")


def _answer(record: Record, number: int, right: bool, origin: str) -> None:
    keep_answer(record, QUESTIONS[number].id, 1, None, right, float(right), None, 5.0, origin)


def test_what_was_right_in_a_placement_is_not_asked_again(record: Record) -> None:
    _answer(record, 1, True, "placement")
    _answer(record, 3, False, "placement")
    session = open_session(QUESTIONS, record)
    assert session.results == {QUESTIONS[1].id: (True, 1.0)}
    assert say_where_it_begins(session) == "1 was right in the placement and is not asked again."
    assert day_summary(record, 1, [], QUESTIONS, []).questions == Score(), "no quiz yet"
    asked = []
    while (question := session.current) is not None:
        asked.append(question.id)
        session.add_answer(question, True, 1.0)
    assert asked == [QUESTIONS[n].id for n in (0, 2, 3)]

    _answer(record, 0, True, "quiz")
    session = open_session(QUESTIONS, record)
    assert list(session.results) == [QUESTIONS[0].id, QUESTIONS[1].id]
    assert say_where_it_begins(session).startswith(
        "Continued where you left off: 1 answered. 1 was"
    )
    assert day_summary(record, 1, [], QUESTIONS, []).questions == Score(2, 2)
    assert record.statistics.day_progress()[1].questions_answered == 2
    _answer(record, 2, True, "quiz")
    assert not is_finished(record, QUESTIONS)
    _answer(record, 3, True, "quiz")
    assert is_finished(record, QUESTIONS)
    assert day_summary(record, 1, [], QUESTIONS, []).questions == Score(4, 4)


def test_a_question_missed_since_the_placement_is_asked(record: Record) -> None:
    _answer(record, 1, True, "placement")
    _answer(record, 1, False, "review")
    assert open_session(QUESTIONS, record).results == {}


def test_a_quiz_that_a_placement_asked_whole_is_asked(record: Record) -> None:
    for number in range(4):
        _answer(record, number, True, "placement")
    assert open_session(QUESTIONS, record).current is not None


def test_a_finished_quiz_begins_anew(record: Record) -> None:
    for number in range(4):
        _answer(record, number, True, "quiz")
    session = open_session(QUESTIONS, record)
    assert session.results == {}
    assert say_where_it_begins(session) == ""
