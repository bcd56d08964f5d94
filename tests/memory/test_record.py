"""What goes into the record comes out of it, across a restart."""

import contextlib
import re
import sqlite3
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from answering import keep_answer
from clock import Clock
from hypothesis import given
from hypothesis import strategies as st

import tutor.memory
from tutor.memory.record import open_record
from tutor.memory.statistics.progress import DayProgress
from tutor.memory.store.rows import JudgedProgram
from tutor.memory.store.study_day import minutes_covered


def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    assert record.notice == ""
    assert record.activity.last_answer("q1") is None
    keep_answer(record, "q1", 22, ["a", "c"], False, 0.5, 4, 12.5, "quiz")
    keep_answer(record, "q1", 22, {"a": "x"}, None, 0.0, None, 1.0, "quiz")
    first = record.activity.attempt(
        JudgedProgram("vector_add", "old\0text", {"passed": False}, False, "cpu")
    )
    second = record.activity.attempt(
        JudgedProgram("vector_add", "x" * 10_000_000, {"passed": True}, True, "cuda: H200")
    )
    record.activity.set_position(22, 3)
    record.activity.set_position(22, 1)
    for section in (0, 2, 2):
        record.activity.section_read(22, section)
    record.activity.cell_run(22, 1, True)
    record.close()

    record = open_record(tmp_path / "record.sqlite3", clock)
    last = record.activity.last_answer("q1")
    assert last is not None
    assert (last.value, last.right, last.credit, last.confidence) == ({"a": "x"}, None, 0.0, None)
    assert last.at == clock.now
    assert [a.id for a in record.activity.attempts("vector_add")] == [second, first]
    assert record.activity.attempts("vector_add")[1].source == "old\0text"
    assert record.activity.attempts("vector_add")[0].verdict == {"passed": True}
    assert len(record.activity.attempts("vector_add")[0].source) == 10_000_000
    assert record.activity.attempts("row_sum") == ()
    assert record.activity.position(22) == 1
    assert record.activity.position(23) == 0
    assert record.activity.read_sections(22) == {0, 2}
    assert record.activity.place_to_go_on(22, (1, 4)) == 1  # the end of a sitting, not read yet
    record.activity.section_read(22, 1)
    assert record.activity.place_to_go_on(22, (1, 4)) == 2
    assert record.activity.place_to_go_on(22, (4,)) == 1
    assert record.activity.passed_exercises() == {"vector_add"}
    record.close()


def test_every_version_of_a_file_is_kept_once(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3")
    path = tmp_path / "vector_add.py"
    versions = ["a", "b", "a", "lone \udc80 byte"]
    ids = [record.activity.save_edit("vector_add", path, text) for text in versions]
    assert record.activity.save_edit("vector_add", path, versions[-1]) == ids[-1]
    assert [edit.text for edit in record.activity.edits("vector_add")] == [
        "lone ? byte",
        "a",
        "b",
        "a",
    ]
    assert record.activity.edits("vector_add")[0].path == str(path)
    record.close()


def test_a_day_counts_each_question_by_its_latest_answer(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3")
    for question, right, origin in [
        ("q1", True, "quiz"),
        ("q2", False, "quiz"),
        ("q2", True, "review"),
        ("q3", None, "quiz"),
        ("q1", False, "review"),
        ("in-the-lesson", True, "predict"),
    ]:
        keep_answer(record, question, 22, "a", right, float(bool(right)), None, 1.0, origin)
    record.activity.section_read(1, 0)
    assert record.statistics.day_progress() == {1: DayProgress(1, 0, 0), 22: DayProgress(0, 1, 3)}
    record.close()


def test_a_mistaken_call_leaves_no_half_of_a_row(tmp_path: Path) -> None:
    record = open_record(tmp_path / "record.sqlite3")
    with pytest.raises(Exception, match="CHECK"):
        keep_answer(record, "q", 22, "a", True, 1.0, 6, 1.0, "quiz")
    with pytest.raises(TypeError):
        record.activity.attempt(
            JudgedProgram("vector_add", "text", {"verdict": object()}, True, "cpu")
        )
    assert record.activity.last_answer("q") is None
    keep_answer(record, "q", 22, "a", True, 1.0, 5, 1.0, "quiz")  # and the next call works
    record.close()


def test_minutes_of_the_last_days(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    keep_answer(record, "q", 22, "a", True, 1.0, None, 120.0, "quiz")
    clock.forward(minutes=4)
    record.activity.section_read(22, 0)
    clock.forward(hours=2)
    record.activity.cell_run(22, 1, True)  # a lone row after a pause
    clock.forward(days=1)
    keep_answer(record, "q", 22, "a", True, 1.0, None, 9999.0, "quiz")  # left alone for hours
    assert record.statistics.minutes_by_day(3) == pytest.approx((0, 6, 10))
    clock.forward(days=30)
    assert record.statistics.minutes_by_day() == (0,) * 7
    record.close()


START = datetime(2026, 11, 20, tzinfo=timezone.utc)
spans = st.lists(
    st.tuples(st.integers(0, 100_000), st.integers(0, 600)).map(
        lambda s: (START + timedelta(seconds=s[0]), START + timedelta(seconds=s[0] + s[1]))
    )
)


@given(spans)
def test_no_minute_is_counted_twice(spans: list[tuple[datetime, datetime]]) -> None:
    minutes = minutes_covered(spans)
    assert minutes == pytest.approx(minutes_covered(spans * 2))
    if spans:
        whole = max(end for _, end in spans) - min(start for start, _ in spans)
        longest = max(end - start for start, end in spans)
        assert longest.total_seconds() / 60 <= minutes + 1e-9
        assert minutes <= whole.total_seconds() / 60 + 1e-9


def test_no_statement_numbers_its_values() -> None:
    """Python 3.14 refuses `?1` where the values come as a sequence; Python 3.12 warns."""
    package = Path(tutor.memory.__file__).parent
    numbered = [file.name for file in package.rglob("*.py") if re.search(r"\?\d", file.read_text())]
    assert numbered == []


def test_a_record_from_before_an_index_is_given_it(tmp_path: Path) -> None:
    path = tmp_path / "record.db"
    open_record(path, Clock()).close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP INDEX answers_of_placements")
        connection.commit()
    record = open_record(path, Clock())
    names = {name for (name,) in record.log.select("SELECT name FROM sqlite_schema")}
    record.close()
    assert "answers_of_placements" in names
