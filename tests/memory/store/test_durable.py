"""What was confirmed stays: kills, two reviewers, full and read-only disks, clocks, flipped bits."""

import os
import random
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, datetime, timedelta
from pathlib import Path
from subprocess import PIPE, Popen
from zoneinfo import ZoneInfo

import pytest
from answering import keep_answer
from clock import Clock
from kill_nine import kill_repeatedly

from tutor.base.errors import UsageError
from tutor.memory.record import Record, open_record
from tutor.memory.store import backups
from tutor.memory.store.backups import folder_of, list_backups
from tutor.memory.store.checksums import seal_file
from tutor.memory.store.connection import connect, find_fault, open_read_only
from tutor.memory.store.folder_lock import one_process_at_a_time
from tutor.memory.store.rows import CardId, JudgedProgram

KILLS = int(os.environ.get("TUTOR_KILLS", "40"))  # 500 before a release
TERM = CardId("term", "t")


@pytest.mark.slow
def test_kills_lose_and_double_nothing(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    said, kept = kill_repeatedly(path, KILLS)
    assert len(said) > KILLS  # many lives got far enough to say something
    assert said <= kept.keys()
    assert max(kept.values()) == 1
    record = open_record(path)
    assert record.notice == ""
    before = cards(path)
    record.rebuild()
    assert cards(path) == before
    record.close()


REVIEWER = """
import sys
from pathlib import Path
from tutor.memory.record import open_record
from tutor.memory.review_session import Session
from tutor.memory.store.rows import CardId
record = open_record(Path(sys.argv[1]))
session = Session(record, record.today())
print("ready", flush=True)
sys.stdin.readline()
while session.next() is not None:
    session.rate(3, seconds=float(sys.argv[2]))
record.close()
"""


def test_two_programs_review_the_same_cards(tmp_path: Path) -> None:
    """Both rate every card: each rating is kept, and a card is scheduled by one a day."""
    path = tmp_path / "record.sqlite3"
    record = open_record(path, Clock(datetime.now().astimezone() - timedelta(days=3)))
    record.course_items.enter([CardId("term", f"t{i}") for i in range(15)])
    record.close()
    both = [Popen([sys.executable, "-c", REVIEWER, path, n], stdin=PIPE, stdout=PIPE) for n in "12"]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
    for process in both:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in both:
        process.communicate(timeout=60)
        assert process.returncode == 0
    record = open_record(path)
    for i in range(15):
        rows = record.reviews.history(CardId("term", f"t{i}"))
        assert sorted(row.seconds for row in rows) == [1, 2]
        card = record.reviews.card(CardId("term", f"t{i}"))
        assert card is not None
        assert card.reviews == 1
    before = cards(path)
    record.rebuild()
    assert cards(path) == before
    record.close()


MANY = """
import sys
from pathlib import Path
from tutor.memory.record import open_record
for place in range(8):
    record = open_record(Path(sys.argv[1]))
    print(record.notice, end="", flush=True)
    record.activity.section_read(int(sys.argv[2]), place)
    record.close()
"""


@pytest.mark.slow
def test_many_programs_that_come_and_go_back_up_one_record(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    runs = [
        Popen([sys.executable, "-c", MANY, str(path), str(day)], stdout=PIPE, text=True)
        for day in range(1, 5)
    ]
    assert [run.communicate(timeout=60)[0] for run in runs] == [""] * 4
    record = open_record(path)
    assert record.notice == ""
    assert [len(record.activity.read_sections(day)) for day in range(1, 5)] == [8] * 4
    record.close()
    made = list_backups(folder_of(path))
    assert made
    for backup in made.values():
        with closing(open_read_only(backup)) as copy:
            assert find_fault(copy) == ""
    assert {file.suffix for file in folder_of(path).iterdir()} == {".sqlite3"}


def test_the_end_of_a_program_does_not_wait_for_a_busy_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "_PATIENCE", 0.1)
    path = tmp_path / "record.sqlite3"
    record = open_record(path)
    record.activity.section_read(1, 0)
    with one_process_at_a_time(tmp_path):
        record.close()
    assert not list_backups(folder_of(path))
    open_record(path).close()  # the next start makes up for it
    assert len(list_backups(folder_of(path))) == 1


def in_a_child(act: Callable[[], str]) -> str:
    """What `act` returns in a process of its own, whose limits and user it may change."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = act()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    record = open_record(path)
    keep_answer(record, "before", 22, "a", False, 0.0, None, 1.0, "quiz")
    record.close()

    def write_until_full() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        record = open_record(path)
        largest = 2_000_000  # bytes that any one file may have from now on
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
        done = 0
        try:
            while done < 10_000:
                record.reviews.rate(CardId("term", f"t{done}"), 3, seconds=float(done))
                done += 1
        except UsageError as error:
            return f"{done} {error}"
        return f"{done} never full"

    done, sentence = in_a_child(write_until_full).split(" ", 1)
    assert "free the disk" in sentence
    assert "\n" not in sentence
    assert int(done) > 10
    record = open_record(path)
    assert record.notice == ""
    kept = {f"t{i}" for i in range(int(done))}
    rows = record.log.select("SELECT key FROM items WHERE kind = 'term'")
    assert kept == {key for (key,) in rows}
    assert record.activity.last_answer("before") is not None
    keep_answer(record, "and on", 22, "a", False, 0.0, None, 1.0, "quiz")
    record.close()


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may enter, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_folder_that_became_read_only(open_folder: Path) -> None:
    path = open_folder / "record.sqlite3"
    record = open_record(path)
    keep_answer(record, "q", 22, "a", False, 0.0, None, 1.0, "quiz")
    record.close()
    content = path.read_bytes()
    open_folder.chmod(0o555)

    def try_it() -> str:
        if os.geteuid() == 0:  # root may write anywhere
            os.setuid(65534)
        open_record(path)
        return "opened"

    said = in_a_child(try_it)
    assert said.startswith("StorageError: cannot write to")
    assert "\n" not in said
    assert path.read_bytes() == content


def test_a_record_that_may_not_be_read_is_no_full_disk(open_folder: Path) -> None:
    path = open_folder / "record.sqlite3"
    record = open_record(path)
    keep_answer(record, "q", 22, "a", False, 0.0, None, 1.0, "quiz")
    record.close()
    open_folder.chmod(0o777)
    for file in open_folder.iterdir():
        file.chmod(0 if file == path else 0o777)

    def try_it() -> str:
        if os.geteuid() == 0:  # root may read anything
            os.setuid(65534)
        open_record(path)
        return "opened"

    said = in_a_child(try_it)
    assert said.startswith(f"StorageError: cannot use the record {path}")
    assert "you have no rights to it" in said
    assert "free the disk" not in said


# Clocks


def test_a_clock_that_went_back_is_told_and_harmless(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    record.reviews.rate(TERM, 3)
    clock.forward(days=10)
    record.reviews.rate(TERM, 3)
    card = record.reviews.card(TERM)
    record.close()
    clock.forward(days=-20)
    record = open_record(tmp_path / "record.sqlite3", clock)
    assert "clock" in record.notice
    record.reviews.rate(TERM, 1)  # dated before both: history is put in order of time
    after = record.reviews.card(TERM)
    assert card is not None
    assert after is not None
    assert after.due >= card.last_review  # still planned from its latest review
    assert [row.rating for row in record.reviews.history(TERM)] == [1, 3, 3]
    before = cards(record.path)
    record.rebuild()
    assert cards(record.path) == before
    record.close()


def test_a_journey_to_another_time_zone(tmp_path: Path) -> None:
    """21:00 in Berlin, and 9:00 the next morning in New York: one night, so one day."""
    clock = Clock(datetime(2026, 11, 20, 21, tzinfo=ZoneInfo("Europe/Berlin")))
    record = open_record(tmp_path / "record.sqlite3", clock)
    record.reviews.rate(TERM, 1)
    assert record.today() == date(2026, 11, 20)
    clock.now = datetime(2026, 11, 21, 9, tzinfo=ZoneInfo("America/New_York"))
    assert [card.id for card in record.reviews.queue(record.today())] == [TERM]
    record.reviews.rate(TERM, 3)
    # and with the zone of home set, the same evening is the next day already
    clock.now = datetime(2026, 11, 21, 23, tzinfo=ZoneInfo("America/New_York"))
    assert record.today() == date(2026, 11, 21)
    record.settings.set("time_zone", "Europe/Berlin")
    assert record.today() == date(2026, 11, 22)
    record.close()


@pytest.mark.parametrize("night", ["2026-03-28", "2026-10-24"])
def test_the_nights_in_which_the_clock_is_put(tmp_path: Path, night: str) -> None:
    """Berlin, forward in March and back in October: yesterday's Again is due, whatever the hour."""
    home = ZoneInfo("Europe/Berlin")
    evening = datetime.fromisoformat(night).replace(hour=22, tzinfo=home)
    clock = Clock(evening)
    record = open_record(tmp_path / "record.sqlite3", clock)
    record.reviews.rate(TERM, 1)
    for hours, due in ((2, 0), (5, 0), (7, 1), (12, 1)):  # by the clock on the wall
        clock.now = (evening.replace(tzinfo=None) + timedelta(hours=hours)).replace(tzinfo=home)
        assert record.reviews.due(record.today()).terms == due, hours
    record.close()


def test_a_day_that_begins_tonight_is_said_with_its_hour(tmp_path: Path) -> None:
    """Between midnight and 4 the clock shows the date of the study day that comes next."""
    clock = Clock()
    clock.now = clock.now.replace(hour=1)  # of 20 November; the study day is the 19th
    record = open_record(tmp_path / "record.sqlite3", clock)
    days = [record.today() + timedelta(days=step) for step in range(3)]
    assert [day.day for day in days] == [19, 20, 21]
    assert [record.say_begin(day) for day in days] == ["", ", from 4:00 on", ""]
    record.settings.set("rollover_hour", 6)
    assert record.say_begin(days[1]) == ", from 6:00 on"
    clock.forward(hours=5)
    assert record.today() == days[1]
    assert [record.say_begin(day) for day in days] == ["", "", ""]
    record.close()


def test_the_rollover_hour_is_a_setting(tmp_path: Path) -> None:
    clock = Clock(datetime(2026, 11, 20, 2, tzinfo=ZoneInfo("Europe/Berlin")))
    record = open_record(tmp_path / "record.sqlite3", clock)
    assert record.today() == date(2026, 11, 19)
    record.settings.set("rollover_hour", 0)
    assert record.today() == date(2026, 11, 20)
    for name, value in [("rollover_hour", 24), ("time_zone", "Mars/Olympus"), ("colour", 1)]:
        with pytest.raises(UsageError, match=name):
            record.settings.set(name, value)
    record.close()


# Flipped bits


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a record, its seal and its backups."""
    folder = tmp_path_factory.mktemp("sound")
    clock = Clock()
    record = open_record(folder / "record.sqlite3", clock)
    fill(record, 0, 60)
    record.close()
    open_record(folder / "record.sqlite3", clock).close()
    clock.forward(days=1)
    record = open_record(folder / "record.sqlite3", clock)
    fill(record, 60, 70)
    record.close()
    return folder


def fill(record: Record, first: int, last: int) -> None:
    for i in range(first, last):
        keep_answer(record, f"q{i}", 22, f"answer {i}", i % 3 == 0, 0.0, 1 + i % 5, 2.0, "review")
        record.activity.attempt(
            JudgedProgram("vector_add", f"source {i}", {"passed": True}, True, "cpu")
        )


def answers(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as db:
        return dict(db.execute("SELECT question, value FROM answers"))


def cards(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT * FROM cards ORDER BY id").fetchall()


@pytest.mark.slow
def test_any_flipped_bit_is_found_and_mended(sound: Path, tmp_path: Path) -> None:
    """Wherever it is: in the end every answer is there, and every card is planned as before."""
    original = (sound / "record.sqlite3").read_bytes()
    right, planned = answers(sound / "record.sqlite3"), cards(sound / "record.sqlite3")
    draw, told = random.Random(7), 0
    for trial in range(40):
        home = tmp_path / str(trial)
        shutil.copytree(sound, home)
        path = home / "record.sqlite3"
        place = draw.randrange(len(original)) if trial else 0  # and the very first byte
        flipped = bytearray(original)
        flipped[place] ^= 1 << draw.randrange(8)
        path.write_bytes(flipped)
        record = open_record(path, Clock(datetime(2026, 11, 21, 13, tzinfo=ZoneInfo("UTC"))))
        told += bool(record.notice)
        record.close()
        assert answers(path) == right, (place, record.notice)
        assert cards(path) == planned, (place, record.notice)
    assert told > 5


def test_what_no_backup_has_comes_from_the_damaged_file(sound: Path, tmp_path: Path) -> None:
    right = answers(sound / "record.sqlite3")
    place = (sound / "record.sqlite3").read_bytes().index(b'"answer 65"')
    for kept in ("old", "none"):
        home = tmp_path / kept
        shutil.copytree(sound, home)
        for copy in (home / "backups").glob("*20261121*" if kept == "old" else "*"):
            copy.unlink()
        path = home / "record.sqlite3"
        flipped = bytearray(path.read_bytes())
        flipped[place + 2] ^= 1
        path.write_bytes(flipped)
        record = open_record(path, Clock(datetime(2026, 11, 21, 13, tzinfo=ZoneInfo("UTC"))))
        assert "answers row 66 is not what was written" in record.notice
        assert "saved from the damaged file" in record.notice
        record.close()
        assert answers(path) == {q: v for q, v in right.items() if q != "q65"}


def test_a_record_changed_by_hand_is_checked_and_kept(sound: Path, tmp_path: Path) -> None:
    shutil.copytree(sound, tmp_path / "home")
    path = tmp_path / "home" / "record.sqlite3"
    right = answers(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE cards SET due = '2099-01-01'")
        db.commit()
    record = open_record(path, Clock(datetime(2026, 11, 21, 13, tzinfo=ZoneInfo("UTC"))))
    assert record.notice == ""
    assert answers(path) == right
    assert record.reviews.due(date(2098, 1, 1)).questions == 70  # computed anew
    record.close()


def test_the_seal_is_broken_while_somebody_writes(tmp_path: Path) -> None:
    path = tmp_path / "record.sqlite3"
    one, two = open_record(path), open_record(path)
    one.reviews.rate(TERM, 3)
    one.close()  # the other still has it open
    two.reviews.rate(CardId("term", "u"), 3)
    assert not seal_file(path).exists()
    two.close()
    assert seal_file(path).exists()
    again = open_record(path)
    assert again.notice == ""
    assert again.reviews.due(date.max).terms == 2
    again.close()


def test_an_answer_is_on_the_disk_when_it_is_confirmed(tmp_path: Path) -> None:
    """Tests of the interface do without, because no test there cuts the power."""
    with closing(connect(tmp_path / "record.sqlite3")) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
