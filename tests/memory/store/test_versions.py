"""Records of other versions are refused and left alone; a new record is made whole or not at all."""

import sqlite3
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path

import pytest
from clock import Clock

from tutor.base.errors import UsageError
from tutor.memory.record import open_record
from tutor.memory.store import schema
from tutor.memory.store.schema import VERSION, read_version, tables_of

LATER = Clock(datetime(2026, 3, 8, 9, tzinfo=timezone.utc))


def test_a_creation_that_is_cut_off_leaves_no_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "record.sqlite3"
    monkeypatch.setattr(schema, "_TABLES", (*schema._TABLES, "SELECT * FROM no_such_table"))
    with pytest.raises(UsageError, match="no_such_table"):
        open_record(path, LATER)
    with closing(sqlite3.connect(path)) as db:
        assert read_version(db) == 0
        assert tables_of(db) == set()
    monkeypatch.undo()
    open_record(path, LATER).close()


def test_a_version_that_was_never_released_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    open_record(path, LATER).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 1")
        db.commit()
    content = path.read_bytes()
    with pytest.raises(UsageError, match="is of version 1, which no released tutor wrote"):
        open_record(path, LATER)
    assert path.read_bytes() == content


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
