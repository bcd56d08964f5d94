"""Records of other versions: every past one is migrated and kept, a future one is left alone."""

import sqlite3
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest
from clock import Clock

from tutor.base.errors import UsageError
from tutor.memory import CardId, Record, open_record
from tutor.memory.store.row_ids import forged
from tutor.memory.store.schema import LOG_TABLES, MIGRATIONS, VERSION, version_of

PAST = sorted(Path(__file__).parents[1].glob("version_*.sql"))
LATER = Clock(datetime(2026, 3, 8, 9, tzinfo=timezone.utc))


def made(script: Path, path: Path) -> Path:
    with closing(sqlite3.connect(path)) as db:
        db.executescript(script.read_text())
    return path


def test_there_is_a_record_of_every_past_version() -> None:
    assert [path.stem for path in PAST] == [f"version_{n}" for n in range(1, len(MIGRATIONS))]


def planned(record: Record, kind: str, key: str) -> tuple[float | None, int, int]:
    card = record.card(CardId(kind, key))
    assert card is not None
    return card.stability, card.reviews, card.lapses


@pytest.mark.parametrize("script", PAST, ids=lambda path: path.stem)
def test_a_past_version_is_migrated_and_a_copy_is_kept(script: Path, tmp_path: Path) -> None:
    path = made(script, tmp_path / "record.sqlite3")
    record = open_record(path, LATER)
    assert record.notice == ""
    assert version_of(record._db) == VERSION
    assert forged(record._db, LOG_TABLES) == ""
    # what version 1 itself said of these cards
    assert planned(record, "question", "q1") == (pytest.approx(14.775467730776146), 3, 0)
    assert planned(record, "question", "q2") == (pytest.approx(0.212), 1, 0)
    assert planned(record, "exercise", "vector_add") == (pytest.approx(6.6072728262518625), 2, 0)
    assert record.card(CardId("question", "q3")) is None
    last = record.last_answer("q3")
    assert last is not None
    assert last.value == {"text": "…"}
    assert [attempt.source for attempt in record.attempts("vector_add")] == [
        "third\n",
        "second\n",
        "first\n",
    ]
    assert record.hints_shown("vector_add") == 0
    assert record.position(22) == 3
    record.close()
    copy = tmp_path / "backups" / f"record-{script.stem.replace('_', '-')}.sqlite3"
    with closing(sqlite3.connect(copy)) as db:
        assert version_of(db) == int(script.stem.rpartition("_")[2])
    assert open_record(path, LATER).notice == ""


@pytest.mark.parametrize("script", PAST, ids=lambda path: path.stem)
def test_two_copies_of_an_old_record_migrate_to_the_same_rows(script: Path, tmp_path: Path) -> None:
    """So that what two machines make of one old record can be merged."""
    exported = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        record = open_record(made(script, tmp_path / name / "record.sqlite3"), LATER)
        record.export(tmp_path / f"{name}.jsonl")
        exported.append((tmp_path / f"{name}.jsonl").read_text())
        record.close()
    assert exported[0] == exported[1]


def test_a_migration_that_is_cut_off_leaves_the_old_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(PAST[0], tmp_path / "record.sqlite3")
    steps = (*MIGRATIONS[1], "SELECT * FROM no_such_table")
    monkeypatch.setattr("tutor.memory.store.schema.MIGRATIONS", (MIGRATIONS[0], steps))
    with pytest.raises(UsageError, match="no_such_table"):
        open_record(path, LATER)
    with closing(sqlite3.connect(path)) as db:
        assert version_of(db) == 1
        assert db.execute("SELECT count(*) FROM cards").fetchone() == (3,)
    monkeypatch.undo()
    record = open_record(path, LATER)
    assert planned(record, "question", "q1")[1] == 3
    record.close()


def test_a_future_version_is_refused_with_a_sentence_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    open_record(path, LATER).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
        db.commit()
    content = path.read_bytes()
    with pytest.raises(UsageError, match=f"is of version {VERSION + 1}.*newest tutor") as caught:
        open_record(path, LATER)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content
