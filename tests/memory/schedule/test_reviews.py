"""A review session: what is asked, in which order, what each rating and decision does, and undo."""

from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from answering import keep_answer
from clock import Clock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tutor.memory.record import Record, open_record
from tutor.memory.review_session import Session
from tutor.memory.schedule.cards import is_leech
from tutor.memory.schedule.course_items import Item
from tutor.memory.schedule.queue import Limits, merge_evenly, mix_topics
from tutor.memory.store.rows import CardId, JudgedProgram, QueuedCard


def q(name: object) -> CardId:
    return CardId("question", str(name))


def item(name: object, *topics: str, day: int = 22, phase: int = 2, rev: int = 1) -> Item:
    return Item(q(name), f"Question {name}", day, phase, topics, "masks", f"v{rev}", rev)


def keys(cards: Any) -> list[str]:
    return [card.id.key for card in cards]


def missed(record: Record, name: object, confidence: int | None = None) -> None:
    keep_answer(record, str(name), 22, "a", False, 0.0, confidence, 3.0, "quiz")


# Rating


def test_a_preview_is_what_a_rating_does(record: Record, clock: Clock) -> None:
    for step in range(4):
        shown = record.reviews.preview(q("a"))
        assert list(shown) == [1, 2, 3, 4]
        assert sorted(shown.values()) == list(shown.values())
        for rating, days in shown.items():
            record.reviews.rate(q("a"), rating)
            card = record.reviews.card(q("a"))
            assert card is not None
            assert (card.due - record.today()).days == days
            record.reviews.undo()
            clock.forward(seconds=1)
        record.reviews.rate(q("a"), 3)
        clock.forward(days=shown[3] + step)


def test_the_learners_rating_takes_the_place_of_the_proposed(record: Record) -> None:
    row = keep_answer(record, "a", 22, "x", True, 1.0, 3, 9.0, "review")
    assert record.reviews.find_rating(row) == 3
    shown = record.reviews.preview(q("a"), row)
    assert record.reviews.rate(q("a"), 3, answer=row) == record.reviews.rate(q("a"), 3, answer=row)
    assert len(record.reviews.history(q("a"))) == 1
    record.reviews.rate(q("a"), 1, answer=row)
    assert record.reviews.find_rating(row) == 1
    assert [(r.rating, r.undone) for r in record.reviews.history(q("a"))] == [(3, True), (1, False)]
    card = record.reviews.card(q("a"))
    assert card is not None
    assert (card.due - record.today()).days == shown[1]
    assert record.reviews.preview(q("a"), row) == shown
    undone = record.reviews.undo()
    assert undone is not None
    assert undone.rating == 1
    assert (
        record.reviews.card(q("a")) is None
    )  # not back to the proposal: the answer itself was undone
    assert record.reviews.undo() is None


def test_a_question_rated_by_oneself(record: Record) -> None:
    row = keep_answer(record, "open", 22, {"text": "…"}, None, 0.5, None, 60.0, "review")
    assert record.reviews.find_rating(row) is None
    record.reviews.rate(q("open"), 2, answer=row)
    assert record.reviews.find_rating(row) == 2


def test_cramming_leaves_the_schedule_alone(record: Record, clock: Clock) -> None:
    record.reviews.rate(q("a"), 3)
    clock.forward(days=9)
    before = record.reviews.card(q("a"))
    record.reviews.rate(q("a"), 1, origin="cram")
    keep_answer(record, "a", 22, "x", False, 0.0, 5, 1.0, "cram")
    assert record.reviews.card(q("a")) == before
    assert len(record.reviews.history(q("a"))) == 3


@pytest.mark.parametrize("rating", [0, 5, -1])
def test_a_rating_that_is_none(record: Record, rating: int) -> None:
    with pytest.raises(ValueError, match="1 to 4"):
        record.reviews.rate(q("a"), rating)
    assert record.reviews.card(q("a")) is None


# Undo

ACTS = ("again", "good", "easy", "bury", "suspend", "unsuspend", "flag", "note", "wait")


@pytest.mark.slow
@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.sampled_from("ab")), max_size=15))
def test_undo_goes_all_the_way_back_over_restarts(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("undo") / "record.sqlite3"
    clock = Clock()
    record = open_record(path, clock)
    record.course_items.enter([q("a"), q("b")])
    states = [(record.reviews.card(q("a")), record.reviews.card(q("b")))]
    for act, name in acts:
        clock.forward(minutes=1)
        if act == "wait":
            clock.forward(days=3)
            continue
        if act in ("again", "good", "easy"):
            record.reviews.rate(q(name), {"again": 1, "good": 3, "easy": 4}[act])
        elif act == "flag":
            record.reviews.flag(q(name), 2)
        elif act == "note":
            record.reviews.note(q(name), "mind the tail")
        else:
            getattr(record.reviews, act)(q(name))
        states.append((record.reviews.card(q("a")), record.reviews.card(q("b"))))
    while len(states) > 1:
        assert (record.reviews.card(q("a")), record.reviews.card(q("b"))) == states.pop()
        clock.forward(minutes=1)
        if len(states) % 5 == 0:
            record.close()
            record = open_record(path, clock)
        assert record.reviews.undo() is not None
    assert (record.reviews.card(q("a")), record.reviews.card(q("b"))) == states.pop()
    assert record.reviews.undo() is None
    record.close()


# Decisions


def test_bury_suspend_flag_and_note(record: Record, clock: Clock) -> None:
    for name in "abc":
        missed(record, name)
    clock.forward(days=1)
    today = record.today()
    assert sorted(keys(record.reviews.queue(today))) == ["a", "b", "c"]
    record.reviews.bury(q("a"))
    record.reviews.suspend(q("b"))
    record.reviews.flag(q("c"), 3)
    record.reviews.note(q("c"), "lone \udc80 byte")
    assert keys(record.reviews.queue(today)) == ["c"]
    assert record.reviews.due(today).questions == 1
    clock.forward(days=1)
    assert sorted(keys(record.reviews.queue(record.today()))) == ["a", "c"]
    aside = {one.card.id.key: one for one in record.reviews.list_set_aside()}
    assert [key for key, one in aside.items() if "suspended" in one.reason] == ["b"]
    flagged = [one.card for one in aside.values() if "flagged" in one.reason]
    assert [(card.flag, card.note) for card in flagged] == [(3, "lone ? byte")]
    for one in aside.values():
        assert record.reviews.bring_back(one.card)
    assert record.reviews.list_set_aside() == ()
    record.reviews.unsuspend(q("b"))
    assert sorted(keys(record.reviews.queue(record.today()))) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="0 to 7"):
        record.reviews.flag(q("c"), 8)


def test_a_leech_is_one_at_8_lapses_and_every_4_after(record: Record, clock: Clock) -> None:
    assert [n for n in range(21) if is_leech(n)] == [8, 12, 16, 20]
    record.course_items.update((item("a"),), "stamp")
    record.reviews.rate(q("a"), 3)
    found = []
    for _ in range(9):
        clock.forward(days=2)
        session = Session(record, record.today())
        session.rate(1)
        session.rate(3)
        found.append([card.section for card in session.summary().leeches])
    assert found == [[]] * 7 + [["masks"]] + [[]]


# What enters


def test_what_a_finished_lesson_has_enters_once(record: Record, clock: Clock) -> None:
    missed(record, "wrong")
    keep_answer(record, "right", 22, "a", True, 1.0, 5, 3.0, "quiz")
    clock.forward(days=2)
    cards = [q("wrong"), q("right"), q("unasked"), CardId("term", "warp")]
    assert record.course_items.enter(cards) == 3
    assert record.course_items.enter(cards) == 0
    right, unasked = record.reviews.card(q("right")), record.reviews.card(q("unasked"))
    assert right is not None
    assert unasked is not None
    assert right.last_review == record.today() - timedelta(days=2)  # when it was answered
    assert unasked.new
    assert unasked.due == record.today() + timedelta(days=1)


# Order and limits


def test_daily_limits_count_what_was_done(record: Record, clock: Clock) -> None:
    for i in range(30):
        missed(record, i)
        record.reviews.rate(q(i), 1)  # a review has asked it
    record.course_items.enter([CardId("term", f"t{i}") for i in range(30)])
    clock.forward(days=1)
    today, limits = record.today(), Limits(new=4, reviews=10)
    asked = record.reviews.queue(today, limits)
    assert sum(card.new for card in asked) == 4
    assert len(asked) == 14
    for card in asked[:7]:
        record.reviews.rate(card.id, 3)
    left = record.reviews.queue(today, limits)
    assert len(left) == 7
    assert not set(left) & set(asked[:7])
    record.reviews.undo()
    assert len(record.reviews.queue(today, limits)) == 8
    record.settings.set("new_per_day", 0)
    record.settings.set("reviews_per_day", 0)
    assert record.reviews.queue(today) == ()
    clock.forward(days=1)
    assert len(record.reviews.queue(record.today(), limits)) == 14


def test_cards_of_a_quiz_are_new_to_the_reviews_and_wait_their_turn(
    record: Record, clock: Clock
) -> None:
    record.settings.set("new_per_day", 20)
    for i in range(50):
        missed(record, i, confidence=5 if i == 49 else None)
    record.course_items.enter([CardId("term", f"t{i}") for i in range(4)])
    clock.forward(days=1)
    today = record.today()
    asked = record.reviews.queue(today)
    assert len(asked) == 20
    assert all(card.new for card in asked)
    assert asked[0].id == q(49)  # a confident mistake does not wait
    due = record.reviews.due(today)
    assert (due.questions + due.terms, due.waiting) == (20, 34)
    forecast = record.statistics.compute(today).forecast
    assert [n for _, n in forecast[:4]] == [20, 20, 14, 0]
    for card in asked:
        record.reviews.rate(card.id, 4)
    assert record.reviews.queue(today) == ()
    assert record.reviews.due(today).questions == 0
    assert record.reviews.due(today).next == today + timedelta(days=1)
    clock.forward(days=1)
    again = record.reviews.queue(record.today())
    assert len(again) == 20
    assert not {card.id for card in again} & {card.id for card in asked}


def test_confident_mistakes_come_first(record: Record, clock: Clock) -> None:
    for i in range(12):
        missed(record, i, confidence={3: 5, 7: 4, 8: 3}.get(i))
    clock.forward(days=1)
    asked = record.reviews.queue(record.today())
    assert set(keys(asked[:2])) == {"3", "7"}
    assert [card.confident_mistake for card in asked] == [True] * 2 + [False] * 10
    record.reviews.rate(q(3), 3)
    clock.forward(days=40)
    assert not next(
        c for c in record.reviews.queue(record.today()) if c.id == q(3)
    ).confident_mistake


def test_topics_are_mixed_and_the_focus_is_favoured(record: Record, clock: Clock) -> None:
    items = [item(i, ("masks", "layouts", "fusion")[i // 8]) for i in range(24)]
    record.course_items.update(tuple(items), "stamp")
    for i in range(24):
        missed(record, i)
    clock.forward(days=1)
    topics = [card.topics[0] for card in record.reviews.queue(record.today())]
    assert all(a != b for a, b in pairwise(topics))
    record.settings.set_focus("fusion")
    topics = [card.topics[0] for card in record.reviews.queue(record.today(), Limits(10, 0))]
    assert topics[::2] == ["fusion"] * 5
    assert "fusion" not in topics[1::2]
    record.settings.set_focus(None)
    topics = [card.topics[0] for card in record.reviews.queue(record.today(), Limits(9, 0))]
    assert topics.count("fusion") <= 3


def test_only_this_phase_topic_or_day(record: Record, clock: Clock) -> None:
    items = [item(i, f"t{i % 2}", day=i, phase=1 + i // 4) for i in range(8)]
    record.course_items.update(tuple(items), "stamp")
    for i in range(7):
        missed(record, i)
    clock.forward(days=1)
    today = record.today()
    assert sorted(keys(record.reviews.queue(today, phase=2))) == ["4", "5", "6"]
    assert sorted(keys(record.reviews.queue(today, phase=1, topic="t1"))) == ["1", "3"]
    assert keys(record.reviews.queue(today, day=6)) == ["6"]
    record.reviews.rate(q(0), 4)
    assert "0" in keys(record.reviews.queue(today, cram=True, phase=1))
    assert "0" not in keys(record.reviews.queue(today, phase=1))


def card(name: int, topic: str) -> QueuedCard:
    fields = dict.fromkeys(QueuedCard._fields)
    return QueuedCard(**{**fields, "id": q(name), "topics": (topic,)})  # type: ignore[arg-type]


@given(st.lists(st.sampled_from("abc"), max_size=30), st.integers(0, 30))
def test_mixing_and_spreading_keep_every_card(topics: list[str], cut: int) -> None:
    cards = [card(i, topic) for i, topic in enumerate(topics)]
    order = mix_topics(cards)
    assert sorted(c.id for c in order) == sorted(c.id for c in cards)
    for topic in "abc":
        assert [c for c in order if c.topics == (topic,)] == [
            c for c in cards if c.topics == (topic,)
        ]
    both = merge_evenly(cards[:cut], cards[cut:])
    assert [c for c in both if c in cards[:cut]] == cards[:cut]
    assert sorted(c.id for c in both) == sorted(c.id for c in cards)


# The session


def test_what_was_forgotten_returns_until_it_is_remembered(record: Record, clock: Clock) -> None:
    for name in "abcdef":
        missed(record, name)
    clock.forward(days=1)
    session = Session(record, record.today())
    first = session.next()
    assert first is not None
    assert session.next() == first
    session.rate(1)
    for _ in range(3):
        assert session.next() != first
        session.rate(3)
    assert session.next() is not None
    assert session.next().id == first.id  # type: ignore[union-attr]
    assert session.repeated
    planned = record.reviews.card(first.id)
    session.rate(3)  # a repeat: the schedule stays
    assert record.reviews.card(first.id) == planned
    while session.next():
        session.rate(4, seconds=5.0)
    done = session.summary()
    assert (done.reviewed, done.remembered, done.repeats, done.seconds) == (6, 5, 1, 10.0)
    assert done.next == record.today() + timedelta(days=1)
    assert done.tomorrow == 1
    with pytest.raises(ValueError, match="over"):
        session.rate(3)


def test_who_forgets_all_is_asked_every_card(record: Record, clock: Clock) -> None:
    for number in range(18):
        missed(record, number)
    clock.forward(days=1)
    session = Session(record, record.today())
    asked = set()
    for _ in range(60):
        card = session.next()
        assert card is not None
        asked.add(card.id)
        session.rate(1)
    assert len(asked) == 18


def test_a_wrong_answer_is_never_easy(record: Record, clock: Clock) -> None:
    for name in "ab":
        missed(record, name)
    clock.forward(days=1)
    session = Session(record, record.today())
    for right, offered in ((False, [1, 2, 3]), (True, [1, 2, 3, 4])):
        card = session.next()
        assert card is not None
        row = keep_answer(record, card.id.key, 22, "x", right, float(right), None, 9.0, "review")
        assert list(session.preview(row)) == offered
        session.rate(3, answer=row)


def test_a_summary_names_what_was_strong_and_weak(record: Record, clock: Clock) -> None:
    record.course_items.update(
        tuple(item(i, "masks" if i < 3 else "fusion") for i in range(6)), "stamp"
    )
    for i in range(6):
        missed(record, i)
    clock.forward(days=1)
    session = Session(record, record.today())
    while (current := session.next()) is not None:
        forgot = "masks" in current.topics and not session.repeated
        session.rate(1 if forgot else 3)
    assert session.summary().weak == ("masks",)
    assert session.summary().strong == ("fusion",)


def test_a_session_goes_back_and_skips(record: Record, clock: Clock) -> None:
    for name in "abc":
        missed(record, name)
    clock.forward(days=1)
    session = Session(record, record.today())
    first = session.next()
    assert first is not None
    session.skip()
    assert session.next() != first
    assert session.left == 3
    second = session.next()
    assert second is not None
    before = session.counts
    session.rate(1)
    clock.forward(seconds=5)
    back = session.undo()
    assert back is not None
    assert back.id == second.id
    assert session.left == 3
    assert session.counts == before
    assert not session.repeated
    session.suspend()
    assert session.left == 2
    clock.forward(seconds=5)
    back = session.undo()
    assert back is not None
    assert back.id == second.id
    assert session.summary().reviewed == 0


def test_a_session_takes_back_nothing_of_an_earlier_day(record: Record, clock: Clock) -> None:
    missed(record, "a")
    clock.forward(days=1)
    session = Session(record, record.today())
    session.rate(3)
    later = Session(record, record.today())
    assert later.may_undo
    clock.forward(days=3)
    session = Session(record, record.today(), cram=True)
    assert not session.may_undo
    assert session.undo() is None
    session.bury()
    assert session.undo() is not None
    assert record.reviews.may_undo(), "the record itself goes back further"


def test_an_exercise_is_graded_by_the_verdict(record: Record, clock: Clock) -> None:
    slug = "vector_add"
    record.activity.attempt(JudgedProgram(slug, "1", {}, True, "cpu"))
    clock.forward(days=5)
    session = Session(record, record.today())
    assert keys([session.next()]) == [slug]
    assert session.take_attempt() is None
    record.activity.hint_shown(slug, 1)
    record.activity.attempt(JudgedProgram(slug, "2", {}, False, "cpu"))
    assert session.take_attempt() is None
    clock.forward(minutes=9)
    record.activity.attempt(JudgedProgram(slug, "3", {}, True, "cpu"))
    assert session.take_attempt() == 2
    assert session.next() is None
    assert session.summary().remembered == 1


def test_the_time_an_exercise_takes_counts(record: Record, clock: Clock) -> None:
    made = Item(CardId("exercise", "row_sum"), "Row sum", 22, 2, (), "", "d", minutes=20)
    record.course_items.update((made,), "stamp")
    record.activity.attempt(JudgedProgram("row_sum", "1", {}, True, "cpu"))
    ratings = []
    for minutes in (6, 30, 60):
        card_ = record.reviews.card(made.id)
        assert card_ is not None
        clock.now += card_.due - record.today()
        for _ in range(minutes // 3):
            clock.forward(minutes=3)
            record.activity.save_edit("row_sum", "row_sum.py", f"{clock.now}")
        clock.forward(minutes=3)
        record.activity.attempt(JudgedProgram("row_sum", f"{clock.now}", {}, True, "cpu"))
        ratings.append(record.reviews.history(made.id)[-1].rating)
    assert ratings == [4, 3, 2]
