"""Answers about a right program: kept, counted once, and what they do to the rating of the pass."""

from datetime import date
from pathlib import Path

from clock import Clock

from tutor.course.model import AskedQuestion
from tutor.memory.answers import GivenAnswer
from tutor.memory.record import Record, open_record
from tutor.memory.schedule.ratings import AGAIN, GOOD, HARD
from tutor.memory.store.rows import CardId, JudgedProgram

SLUG = "vector_add"
CARD = CardId("exercise", SLUG)


def question(record: Record, kind: str) -> AskedQuestion:
    id_ = f"{record.program_answers.id_of_pass(SLUG)}:{kind}"
    return AskedQuestion(id_, "number", "How many?", "So many.", 22, answer=3)


def give(record: Record, kind: str, value: int | None) -> int | None:
    given = GivenAnswer(question(record, kind), value, seconds=4.0)
    return record.program_answers.keep(given, given.grade(), SLUG)


def passed(folder: Path) -> tuple[Record, Clock]:
    clock = Clock()
    record = open_record(folder / "record.sqlite3", clock)
    attempt(record)
    return record, clock


def attempt(record: Record) -> None:
    record.activity.attempt(JudgedProgram(SLUG, "def add(): ...", {}, True, "cpu"))


def ratings(record: Record) -> list[int]:
    return [row.rating for row in record.reviews.history(CARD) if not row.undone]


def due(record: Record) -> date:
    card = record.reviews.card(CARD)
    assert card is not None
    return card.due


def test_right_answers_leave_the_pass_as_it_was(tmp_path: Path) -> None:
    record, _ = passed(tmp_path)
    before = due(record)
    assert record.program_answers.open_count(SLUG) == 2
    assert [give(record, kind, 3) for kind in ("masked", "stores")] == [None, None]
    assert record.program_answers.open_count(SLUG) == 0
    assert (ratings(record), due(record)) == ([GOOD], before)
    record.close()


def test_each_missed_question_lowers_the_rating_and_the_card_returns_sooner(
    tmp_path: Path,
) -> None:
    record, _ = passed(tmp_path)
    before = due(record)
    assert give(record, "masked", 4) == HARD
    assert ratings(record) == [HARD]
    assert due(record) < before
    assert give(record, "stores", None) == AGAIN
    assert ratings(record) == [AGAIN]
    assert give(record, "loaded", 9) is None, "there is no lower one"
    record.rebuild()
    assert due(record) < before
    last = record.activity.last_answer(question(record, "masked").id)
    assert last is not None
    assert (last.value, last.right, last.seconds) == (4, False, 4.0)
    record.close()


def test_a_review_sees_the_lowered_rating_as_that_of_the_attempt(tmp_path: Path) -> None:
    record, _ = passed(tmp_path)
    give(record, "masked", 4)
    newest = record.reviews.history(CARD)[-1]
    assert (newest.rating, newest.origin, newest.undone) == (HARD, "attempt", False)
    assert record.reviews.undo() is None, "nothing that a learner does by undo"
    record.close()


def test_an_answer_on_a_later_day_is_kept_and_changes_no_review_of_the_past(
    tmp_path: Path,
) -> None:
    record, clock = passed(tmp_path)
    before = due(record)
    clock.forward(days=1)
    assert give(record, "masked", 4) is None
    assert (ratings(record), due(record)) == ([GOOD], before)
    record.close()


def test_questions_are_left_out_once_and_then_count_as_not_known(tmp_path: Path) -> None:
    record, clock = passed(tmp_path)
    answers = record.program_answers
    assert answers.may_leave_out(SLUG)
    first = answers.id_of_pass(SLUG)
    assert answers.leave_out(SLUG, [question(record, kind) for kind in ("a", "b")]) is None
    assert not answers.may_leave_out(SLUG)
    assert answers.may_leave_out("row_sum"), "of another exercise they may be"
    assert (answers.open_count(SLUG), ratings(record)) == (0, [GOOD])
    clock.forward(days=30)
    attempt(record)
    assert answers.id_of_pass(SLUG) != first
    assert answers.open_count(SLUG) == 2
    assert answers.leave_out(SLUG, [question(record, kind) for kind in ("a", "b")]) == AGAIN
    assert ratings(record)[-1] == AGAIN
    record.close()


def test_statistics_count_answers_and_not_what_was_left_out(tmp_path: Path) -> None:
    record, clock = passed(tmp_path)
    give(record, "masked", 4)
    record.program_answers.leave_out(SLUG, [question(record, "stores")])
    found = record.statistics.compute(clock().date()).answers
    assert (found.programs, found.total) == (1, 1)
    assert found.in_words() == "1 · programs 1"
    record.close()


def test_practice_before_the_card_is_due_asks_nothing_new(tmp_path: Path) -> None:
    record, clock = passed(tmp_path)
    give(record, "masked", 3)
    give(record, "stores", 3)
    clock.forward(hours=1)
    attempt(record)
    assert record.program_answers.open_count(SLUG) == 0
    record.close()


def test_answers_travel_to_another_record(tmp_path: Path) -> None:
    record, _ = passed(tmp_path)
    give(record, "masked", 4)
    lines = tmp_path / "lines.jsonl"
    record.export(lines)
    other = open_record(tmp_path / "other.sqlite3", Clock())
    other.merge(lines.read_text().splitlines(), "lines.jsonl")
    assert ratings(other) == [HARD]
    assert other.program_answers.open_count(SLUG) == 1
    record.close()
    other.close()


def test_a_lowered_rating_chooses_its_day_anew(tmp_path: Path) -> None:
    """The day that the load chose for the old rating is not that of the new one."""
    record, clock = passed(tmp_path)
    for _ in range(3):  # until the intervals of two ratings lie apart
        clock.now += due(record) - record.today()
        attempt(record)
    clock.now += due(record) - record.today()
    attempt(record)
    good = (due(record) - record.today()).days
    give(record, "masked", 2)
    with record.log.reading() as db:
        rows = db.execute(
            "SELECT rating, value FROM card_events WHERE action = 'review' ORDER BY id"
        ).fetchall()
    (rating, chosen), (lowered, again) = rows[-2:]
    assert (rating, lowered) == (GOOD, HARD)
    assert (int(chosen), int(again)) == (good, (due(record) - record.today()).days)
    assert int(again) < int(chosen)
    record.close()
