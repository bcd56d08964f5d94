"""Records that the program wrote earlier open, go on, and travel through export and import unchanged.

`records/DATE.sql` is the dump of a record that the program of that day wrote, `DATE.jsonl` what it
exported. Tables have been the same since 23 November 2026; before, they came from a migration, with
their columns in another order.
"""

import sqlite3
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest
from clock import Clock

from tutor.course.model import AskedQuestion
from tutor.memory.answers import GivenAnswer
from tutor.memory.record import Record, open_record
from tutor.memory.store.rows import CardId, QueuedCard

FOLDER = Path(__file__).with_name("records")
NAMES = sorted(path.stem for path in FOLDER.glob("*.sql"))
LATER = Clock(datetime(2026, 11, 30, 9, tzinfo=timezone.utc))
MASK = CardId("question", "d22-mask")


def written(name: str, folder: Path) -> Path:
    """The record of that day, as its program left it."""
    path = folder / "record.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript((FOLDER / f"{name}.sql").read_text("utf-8"))
    return path


def exported(record: Record, path: Path) -> bytes:
    record.export(path)
    return path.read_bytes()


def cards(record: Record) -> list[QueuedCard | None]:
    with record.log.reading() as db:
        names = db.execute("SELECT kind, key FROM items ORDER BY kind, key").fetchall()
    return [record.reviews.card(CardId(*name)) for name in names]


@pytest.mark.parametrize("name", NAMES)
def test_it_opens_and_says_what_it_said(tmp_path: Path, name: str) -> None:
    with closing(open_record(written(name, tmp_path), LATER)) as record:
        assert record.notice == ""
        assert exported(record, tmp_path / "now") == (FOLDER / f"{name}.jsonl").read_bytes()
        answer = record.activity.last_answer("d22-why")
        assert answer is not None
        assert (answer.value["text"], answer.right) == ("weil … “so”", None)
        drawn = record.activity.last_answer("d22-drawn")
        assert drawn is not None
        assert drawn.params == {"n": 1024}
        assert [a.passed for a in record.activity.attempts("vector_add")] == [True, False]
        before = cards(record)
        record.rebuild()
        assert cards(record) == before
        kept = record.reviews.card(MASK)
        assert kept is not None
        assert kept.reviews == 2


@pytest.mark.parametrize("name", NAMES)
def test_it_goes_on_and_arrives_whole_in_a_new_home(tmp_path: Path, name: str) -> None:
    """An answer is added; what another home imports is what this one exports, byte for byte."""
    with closing(open_record(written(name, tmp_path), LATER)) as record:
        given = GivenAnswer(AskedQuestion(MASK.key, "text", "", "", 22, answer="a"), "a", 5, 4.0)
        row = record.activity.answer(given, given.grade(), "review")
        assert record.reviews.find_rating(row) == 4
        lines = exported(record, tmp_path / "lines")
        ours = cards(record)
    (tmp_path / "new").mkdir()
    with closing(open_record(tmp_path / "new" / "record.sqlite3", LATER)) as other:
        other.merge((tmp_path / "lines").read_text("utf-8").splitlines(), "lines")
        assert exported(other, tmp_path / "again") == lines
        assert cards(other) == ours
        again = other.merge((tmp_path / "lines").read_text("utf-8").splitlines(), "lines")
        assert again.added == 0
        assert exported(other, tmp_path / "again") == lines
        undone = other.reviews.undo()  # ids are the same in a new record
        assert undone is not None
        assert (undone.card, other.reviews.find_rating(row)) == (MASK, None)
