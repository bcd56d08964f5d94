"""A search over the course and the learner's own words."""

import sqlite3
from pathlib import Path

import pytest
from answering import keep_answer

from tutor.base import paths
from tutor.course.catalog.course import open_course
from tutor.memory.record import Record, open_record
from tutor.memory.store.rows import CardId
from tutor.search.search import Finder


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path))
    return open_record(paths.record_file())


@pytest.mark.slow
def test_own_words_come_first_the_newest_only_and_never_those_taken_back(record: Record) -> None:
    record.notes.write(22, "masks-which-lanes-exist", "a quokka mask")
    record.notes.write(22, "masks-which-lanes-exist", "a wombat mask")
    record.notes.write(22, "your-mask-in-ptx", "a quokka")
    record.notes.write(22, "your-mask-in-ptx", "")
    record.course_items.enter([CardId("term", "mask")])
    record.reviews.note(CardId("term", "mask"), "my numbat")
    record.checkpoints.add_reflection(14, "shaky", "The bilby once.", 60)
    record.checkpoints.add_reflection(14, "shaky", "The bilby twice.", 60)
    finder = Finder(open_course(), record)
    assert finder.find("quokka").hits == ()
    [hit] = finder.find("wombat").hits
    assert (hit.kind, hit.place, hit.day) == ("note", "22/masks-which-lanes-exist", 22)
    assert hit.title == "Masks: which lanes exist"
    assert [(h.kind, h.place) for h in finder.find("numbat").hits] == [("card note", "term:mask")]
    assert ["".join(t for t, _ in h.excerpt) for h in finder.find("bilby").hits] == [
        "The bilby twice."
    ]
    task = next(hit for hit in finder.find("long_softmax").hits if hit.kind == "exercise")
    assert "long_softmax long_softmax" not in "".join(text for text, _ in task.excerpt)
    kinds = [hit.kind for hit in finder.find("mask").hits]
    assert set(kinds[:2]) == {"note", "card note"}
    assert "term" in kinds
    assert len(kinds) == 40


@pytest.mark.slow
def test_an_explanation_is_found_once_its_question_is_answered(record: Record) -> None:
    course = open_course()
    quiz = course.quiz(22)
    assert quiz is not None
    question = quiz.questions[0]

    def explained() -> set[str]:
        finder = Finder(course, record)
        hits = finder.find(" ".join(question.explanation.split()[:6]), 200).hits
        return {hit.place for hit in hits if hit.kind == "explanation"}

    assert explained() == set()
    keep_answer(record, question.id, 22, "a", False, 0.0, 3, 1.0, "quiz")
    assert explained() == {question.id}


def test_a_prediction_that_is_not_settled_keeps_its_explanation(record: Record) -> None:
    keep_answer(record, "d01-open", 1, 5, None, 0.0, None, 1.0, "predict")
    assert record.notes.list_explained() == frozenset()
    keep_answer(record, "d01-open", 1, 5, False, 0.0, None, 1.0, "predict")
    assert record.notes.list_explained() == {"d01-open"}


@pytest.mark.slow
def test_an_index_that_is_damaged_while_it_is_used_is_made_anew(record: Record) -> None:
    finder = Finder(open_course(), record)
    assert finder.find("mask").hits
    finder._index.close()
    [file] = paths.cache_dir().glob("search-*.sqlite3")
    with file.open("r+b") as damaged:  # in place, as a failing disk does it
        damaged.seek(4096)
        damaged.write(b"\xff" * (file.stat().st_size - 4096))
    finder._index = sqlite3.connect(file)
    assert finder.find("mask").hits
