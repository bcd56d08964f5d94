"""Nothing that was answered is lost: crashes, two programs at once, damaged files, full folders."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import answering
import pytest
from answering import keep_answer
from clock import Clock
from hypothesis import given
from hypothesis import strategies as st

from tutor.base.errors import UsageError
from tutor.memory.record import open_record
from tutor.memory.store.backups import choose_kept, list_backups
from tutor.memory.store.schema import VERSION

WRITER = """
import sys
from pathlib import Path
from answering import keep_answer
from tutor.memory.record import open_record
record = open_record(Path(sys.argv[1]))
for i in range(int(sys.argv[3])):
    name = f"{sys.argv[2]}-{i}"
    keep_answer(record, name, 22, "a", False, 0.0, 3, 1.0, "quiz")
    record.activity.save_edit("vector_add", "f.py", name)
    print(name, flush=True)
"""


def writer(path: Path, name: str, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    helpers = str(Path(answering.__file__).parent)
    environment = {**os.environ, "PYTHONPATH": helpers}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def questions(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as db:
        return {name for (name,) in db.execute("SELECT question FROM answers")}


def filled(path: Path, count: int = 300) -> None:
    """A record of some hundred pages."""
    record = open_record(path, Clock())
    for i in range(count):
        keep_answer(record, f"q{i}", 22, "a" * 400, False, 0.0, None, 1.0, "quiz")
    record.close()


def test_two_programs_at_once_lose_no_row(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    writers = [writer(path, name, 60) for name in ("one", "two")]
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert questions(path) == {f"{name}-{i}" for name in ("one", "two") for i in range(60)}
    record = open_record(path)
    assert len(record.activity.edits("vector_add")) == 120
    assert {key for (key,) in record.log.select("SELECT key FROM cards")} == questions(path)
    record.close()


def test_kill_9_loses_no_answer_that_was_confirmed(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    process = writer(path, "one", 1_000_000)
    assert process.stdout is not None
    confirmed = [process.stdout.readline().strip() for _ in range(25)]
    os.kill(process.pid, signal.SIGKILL)
    rest = process.communicate(timeout=60)[0]
    confirmed += [line for line in rest.split("\n")[:-1] if line]
    record = open_record(path)
    assert record.notice == ""
    assert set(confirmed) <= questions(path)
    record.close()


def cut_in_half(data: bytes) -> bytes:
    return data[: len(data) // 2]


def other_bytes(data: bytes) -> bytes:
    return b"this is no database, but long enough to look like one at first sight".ljust(8192)


def overwritten(data: bytes) -> bytes:
    return data[:4096] + bytes([0xFF]) * 8192 + data[12288:]


def emptied(data: bytes) -> bytes:
    return b""


@pytest.mark.parametrize("damage", [cut_in_half, other_bytes, overwritten, emptied])
def test_a_damaged_record_is_put_aside_and_restored(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "record.sqlite3"
    filled(path)
    clock = Clock()
    open_record(path, clock).close()  # a backup of all rows
    clock.forward(days=1)
    record = open_record(path, clock)
    keep_answer(record, "the last", 22, "a", False, 0.0, None, 1.0, "quiz")
    record.close()
    harmed = damage(path.read_bytes())  # type: ignore[operator]
    path.write_bytes(harmed)

    record = open_record(path, clock)
    aside = tmp_path / "record.corrupt-20261121-120000.sqlite3"
    assert aside.read_bytes() == harmed
    for said in ("damaged", aside.name, "2026-11-21 12:00", "missing"):
        assert said in record.notice
    record.close()
    assert questions(path) == {"the last", *(f"q{i}" for i in range(300))}
    again = open_record(path, clock)
    assert again.notice == ""
    again.close()


def test_damage_in_the_text_of_the_schema_opens_the_backup(tmp_path: Path) -> None:
    """SQLite's own sentence about it is no UTF-8 then."""
    path = tmp_path / "record.sqlite3"
    with closing(open_record(path)) as record:
        keep_answer(record, "q", 22, "a", True, 1.0, None, 1.0, "quiz")
    data = bytearray(path.read_bytes())
    data[data.index(b"CREATE TABLE answers") + 14] ^= 0x80
    path.write_bytes(data)
    with closing(open_record(path)) as record:
        assert "It was restored from the backup of" in record.notice
        assert record.activity.last_answer("q") is not None


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("answers", "uid"),
        ("answers", "id"),
        ("texts", "body"),
        ("sections", "study_day"),
        ("kept", "value"),
    ],
)
def test_a_damaged_name_of_a_column_opens_the_backup_and_loses_no_row(
    tmp_path: Path, table: str, column: str
) -> None:
    """The rows are whole then, also the one that no backup has yet."""
    path, clock = tmp_path / "record.sqlite3", Clock()
    for name in ("q", "the last"):
        with closing(open_record(path, clock)) as record:
            keep_answer(record, name, 22, "a", True, 1.0, None, 1.0, "quiz")
        clock.forward(days=1)
    newest, _ = list_backups(tmp_path / "backups").values()
    newest.unlink()
    data = bytearray(path.read_bytes())
    at = data.index(f"CREATE TABLE {table} ".encode())
    data[data.index(f"{column} ".encode(), at) + 1] ^= 0x02
    path.write_bytes(data)
    with closing(open_record(path, clock)) as record:
        assert "It was restored from the backup of" in record.notice
        record.rebuild()
    assert questions(path) == {"q", "the last"}


def test_two_programs_put_a_damaged_record_aside_once(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    filled(path, 30)
    open_record(path, Clock()).close()
    path.write_bytes(other_bytes(b""))
    writers = [writer(path, name, 5) for name in ("one", "two")]
    for process in writers:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert len(questions(path)) == 30 + 2 * 5
    assert len(list(tmp_path.glob("record.corrupt-*"))) == 1


def test_a_damaged_backup_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    filled(path, 30)
    open_record(path, Clock()).close()
    newer = tmp_path / "backups" / "record-20261125-120000.sqlite3"
    newer.write_bytes(other_bytes(b""))
    path.write_bytes(other_bytes(b""))
    record = open_record(path, Clock())
    assert "2026-11-20 12:00" in record.notice
    record.close()
    assert len(questions(path)) == 30


def test_without_a_backup_a_new_record_is_started_and_said_so(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    path.write_bytes(other_bytes(b""))
    record = open_record(path, Clock())
    assert "no backup" in record.notice
    assert (tmp_path / "record.corrupt-20261120-120000.sqlite3").exists()
    keep_answer(record, "q", 22, "a", True, 1.0, None, 1.0, "quiz")
    record.close()


def test_a_record_that_is_gone_is_mentioned(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    filled(path, 1)
    open_record(path, Clock()).close()
    path.unlink()
    record = open_record(path, Clock())
    assert "gone" in record.notice
    assert "record-20261120-120000.sqlite3" in record.notice
    record.close()


def test_a_backup_is_made_only_when_rows_came(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    clock = Clock()
    for _ in range(3):
        clock.forward(minutes=1)
        open_record(path, clock).close()
    assert list_backups(tmp_path / "backups") == {}
    for _ in range(2):
        clock.forward(minutes=30)
        record = open_record(path, clock)
        record.activity.set_position(22, 1)
        record.close()
        for _ in range(3):
            clock.forward(minutes=1)
            open_record(path, clock).close()
    assert len(list_backups(tmp_path / "backups")) == 2
    assert not list((tmp_path / "backups").glob("*-wal"))


def test_all_of_an_hour_stay_and_of_each_half_hour_before_it_the_newest(tmp_path: Path) -> None:
    path, clock = tmp_path / "record.sqlite3", Clock()
    for _ in range(24):
        record = open_record(path, clock)
        record.activity.set_position(22, 1)
        record.close()
        clock.forward(minutes=5)
    made = [f"{moment:%H:%M}" for moment in list_backups(tmp_path / "backups")]
    last = [f"13:{minute:02}" for minute in range(55, -1, -5)]
    assert made == [*last, "12:55", "12:25"]


NOW = datetime(2026, 11, 20, 12)
moments = st.lists(st.integers(0, 60 * 24 * 800).map(lambda m: NOW - timedelta(minutes=m)))


@given(moments)
def test_thinning(made: list[datetime]) -> None:
    stay = choose_kept(made, NOW)
    recent = {m for m in made if NOW - m < timedelta(days=2)}
    halves = {(m.date(), m.hour, m.minute // 30) for m in recent}
    assert {(m.date(), m.hour, m.minute // 30) for m in stay & recent} == halves
    assert choose_kept(stay, NOW) == stay  # to thin again changes nothing
    old = {m for m in stay if NOW - m >= timedelta(days=2)}
    assert len(old) <= 12 + 10 + 9
    if made:
        assert max(made) in stay


def test_a_year_of_mornings_thins_to_days_weeks_and_months() -> None:
    stay: set[datetime] = set()
    for back in range(365, -1, -1):
        morning = NOW - timedelta(days=back)
        stay = choose_kept(stay | {morning}, morning)
    ages = sorted((NOW - moment).days for moment in stay)
    assert ages[:14] == list(range(14))  # two days and twelve
    assert len(ages) == 2 + 12 + 10 + 9
    assert ages[-1] > 300


@pytest.mark.parametrize("home", ["/proc/tutor", "a file"])
def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path, home: str) -> None:
    (tmp_path / "a file").touch()
    with pytest.raises(UsageError, match="TUTOR_HOME") as caught:
        open_record(tmp_path / home / "record.sqlite3")  # an absolute path replaces tmp_path
    assert "\n" not in str(caught.value)


def test_a_record_that_cannot_be_opened_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "record.sqlite3").mkdir()
    with pytest.raises(UsageError, match=r"record\.sqlite3"):
        open_record(tmp_path / "record.sqlite3")


def test_a_full_disk_is_one_sentence_and_what_was_kept_stays(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    record = open_record(path)
    keep_answer(record, "before", 22, "a", True, 1.0, None, 1.0, "quiz")
    pages = record.log.connection.execute("PRAGMA page_count").fetchone()[0]
    record.log.connection.execute(
        f"PRAGMA max_page_count = {pages + 1}"
    )  # SQLite's own "disk is full"
    with pytest.raises(UsageError, match="full"):
        keep_answer(record, "too much", 22, "a" * 100_000, True, 1.0, None, 1.0, "quiz")
    record.close()
    assert questions(path) == {"before"}


def test_a_record_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    filled(path, 1)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
        db.commit()
    with pytest.raises(UsageError, match="newest tutor"):
        open_record(path)
    assert questions(path) == {"q0"}
