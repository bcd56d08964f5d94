"""Identity: an edit keeps a card's progress, a raised rev says so, what is gone is kept."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from clock import Clock

from tutor.base.errors import StorageError, UsageError
from tutor.course.catalog.course import Course, open_course
from tutor.memory.course_sync import enter_lesson, page_of, sync
from tutor.memory.record import Record, open_record
from tutor.memory.store.rows import CardId

LESSON = """+++
day = 1
title = "One"
minutes = 30
objectives = ["Know it."]
sources = [{ id = "page", title = "A page", version = "1" }]
+++
Text about memory bandwidth [page].

## Masks
A masked lane loads nothing.
"""
QUIZ = """day = 1
title = "One"

[[question]]
id = "d1-masked"
kind = "choice"
prompt = "{prompt}"
options = {{ a = "nothing", b = "zero" }}
answer = "a"
feedback = {{ a = "Yes.", b = "No." }}
explanation = "A masked lane loads nothing."
source = "A page, 1"
tags = ["masks"]
days = [1]
rev = {rev}
"""
OUTLINE = """[[phase]]
number = 1
name = "First"
[[week]]
number = 1
name = "First"
[[day]]
day = 1
title = "One"
phase = 1
week = 1
kind = "lesson"
goal = "Know it."
"""


def course(root: Path, prompt: str = "What does a masked lane load?", rev: int = 1) -> Course:
    for folder in ("lessons", "quizzes", "kernels"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "lessons" / "outline.toml").write_text(OUTLINE)
    (root / "lessons" / "day-01-one.md").write_text(LESSON)
    (root / "quizzes" / "day-01.toml").write_text(QUIZ.format(prompt=prompt, rev=rev))
    return Course(root)


ASKED = CardId("question", "d1-masked")


def progress(record: Record) -> tuple[int, float | None]:
    card = record.reviews.card(ASKED)
    assert card is not None
    return card.reviews, card.stability


def test_an_edit_keeps_progress_and_a_raised_rev_says_so(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    enter_lesson(record, course(tmp_path / "c"), 1)
    clock.forward(days=1)
    record.reviews.rate(ASKED, 4)
    known = progress(record)

    changes = sync(record, course(tmp_path / "c", "What is loaded by a masked lane?"))
    assert changes.edited == (ASKED,)
    assert changes.sentence == ""
    assert progress(record) == known
    assert record.reviews.queue(record.today()) == ()

    changes = sync(record, course(tmp_path / "c", "What does a masked lane store?", rev=2))
    assert changes.revised == (ASKED,)
    assert "d1-masked changed in meaning" in changes.sentence
    assert progress(record) == known
    clock.forward(days=1)
    (card,) = record.reviews.queue(record.today())
    assert card.changed
    assert (card.day, card.phase, card.topics, card.section) == (1, 1, ("masks",), "masks")
    record.reviews.rate(ASKED, 3)
    assert record.reviews.queue(record.today()) == ()
    assert not record.reviews.card(ASKED).changed  # type: ignore[union-attr]
    assert (
        sync(record, course(tmp_path / "c", "What does a masked lane store?", rev=2)).edited == ()
    )
    record.close()


def test_a_question_that_replaces_another_keeps_its_history(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    enter_lesson(record, course(tmp_path / "c"), 1)
    for _ in range(2):
        clock.forward(days=1)
        record.reviews.rate(ASKED, 4)
    known, history = progress(record), record.reviews.history(ASKED)
    quiz = tmp_path / "c" / "quizzes" / "day-01.toml"
    text = quiz.read_text().replace('"d1-masked"', '"d1-lane"')
    quiz.write_text(text + 'replaces = ["d1-masked"]\n')
    stays = CardId("question", "d1-lane")

    assert sync(record, Course(tmp_path / "c")).sentence == ""
    assert record.reviews.card(ASKED) is None
    card = record.reviews.card(stays)
    assert card is not None
    assert (card.reviews, card.stability) == known
    assert record.reviews.history(stays) == history
    enter_lesson(record, Course(tmp_path / "c"), 1)  # it has entered long ago
    assert record.reviews.card(stays) == card
    assert record.statistics.compute(record.today()).days[0].known == pytest.approx(1, abs=0.1)
    clock.forward(days=1)
    record.reviews.rate(stays, 1)
    after = record.reviews.card(stays)
    assert after is not None
    assert (after.reviews, after.lapses) == (3, 1)
    record.rebuild()
    assert record.reviews.card(stays) == after

    quiz.write_text(text)  # the author takes it back: the old card rests, the new one is its own
    sync(record, Course(tmp_path / "c"))
    assert [one.card.id for one in record.reviews.list_set_aside()] == [ASKED]
    record.close()


def aside(record: Record) -> list[tuple[CardId, str]]:
    return [(one.card.id, one.reason) for one in record.reviews.list_set_aside()]


@contextmanager
def full_disk() -> Iterator[None]:
    """No file can grow beyond one page: SQLite's own writes fail as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_is_not_taken_for_a_faulty_course(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3", Clock())
    taught = course(tmp_path / "c")
    with full_disk(), pytest.raises(StorageError, match="cannot use the record"):
        sync(record, taught)
    assert sync(record, taught).sentence == ""  # there is room again: nothing is lost
    assert record.course_items.stamp()
    record.close()


def test_a_faulty_course_is_left_alone(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3", Clock())
    enter_lesson(record, course(tmp_path / "c"), 1)
    (tmp_path / "c" / "quizzes" / "day-01.toml").write_text("day = one")
    faulty = Course(tmp_path / "c")
    with pytest.raises(UsageError, match=r"day-01\.toml"):
        faulty.quiz(1)
    assert sync(record, Course(tmp_path / "c")).sentence == ""
    assert record.reviews.list_set_aside() == ()
    record.close()


def test_a_review_lets_enter_what_finished_lessons_have(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3", Clock())
    sync(record, course(tmp_path / "c"))
    record.activity.section_read(1, 0)
    sync(record, Course(tmp_path / "c"))
    assert record.reviews.card(ASKED) is None  # one of two sections
    record.activity.section_read(1, 1)
    sync(record, Course(tmp_path / "c"))
    assert record.reviews.card(ASKED) is not None
    record.close()


def test_orphans_are_kept_and_return(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    enter_lesson(record, course(tmp_path / "c"), 1)
    clock.forward(days=1)
    (tmp_path / "c" / "quizzes" / "day-01.toml").unlink()
    changes = sync(record, Course(tmp_path / "c"))
    assert changes.orphaned == (ASKED,)
    assert "1 card is no longer in the course" in changes.sentence
    assert record.reviews.queue(record.today()) == ()
    assert record.reviews.due(record.today()).questions == 0
    assert aside(record) == [(ASKED, "no longer asked")]
    record.rebuild()
    assert aside(record) == [(ASKED, "no longer asked")]
    assert sync(record, course(tmp_path / "c")).returned == (ASKED,)
    assert [card.id for card in record.reviews.queue(record.today())] == [ASKED]
    record.close()


def test_a_course_with_a_mistake_makes_no_orphans(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3", Clock())
    enter_lesson(record, course(tmp_path / "c"), 1)
    (tmp_path / "c" / "quizzes" / "day-01.toml").write_text("day = ")
    assert sync(record, Course(tmp_path / "c")).sentence == ""
    assert record.reviews.list_set_aside() == ()
    record.close()


@pytest.mark.slow
def test_the_courses_own_cards_know_where_to_go_back_to(tmp_path: Path) -> None:
    shipped = open_course()
    record = open_record(tmp_path / "record.sqlite3", Clock())
    sync(record, shipped)
    rows = record.log.select("SELECT kind, key, day, phase, section FROM items")
    assert {kind for kind, *_ in rows} == {"question", "term", "exercise"}
    for kind, key, day, phase, section in rows:
        assert phase == {d.day: d.phase for d in shipped.days}.get(day, 0)
        lesson = shipped.lesson(day)
        if lesson is not None:
            found = section in {s.slug for s in lesson.sections}
            assert found or (kind == "term" and section == ""), (kind, key)
    sections = {key: section for _, key, _, _, section in rows}
    assert sections["d22-line-padding-wins"] == "softmax-step-by-step"
    assert sections["d05-reached"] == "per-cent-of-what"  # its source says so
    assert sections["d05-flops-of-instructions"] == "what-a-profiler-counts"
    assert sections["d02-which-limit"] == "what-a-warp-needs-to-move-in"  # not the long last page
    assert sections["d22-who-wrote-six"] == "one-program-many-lanes"  # a prediction stands there
    record.close()


def test_a_source_names_the_section_that_teaches_a_question(tmp_path: Path) -> None:
    by_words = course(tmp_path / "c")
    question = by_words.question("d1-masked")
    assert question is not None
    assert page_of(by_words, question) == (1, "masks", "Masks")  # which shares its words
    quiz = tmp_path / "c" / "quizzes" / "day-01.toml"
    quiz.write_text(quiz.read_text().replace("A page, 1", "A page, 1; Day 1, One"))
    named = Course(tmp_path / "c").question("d1-masked")
    assert named is not None
    assert page_of(by_words, named) == (1, "one", "One")
