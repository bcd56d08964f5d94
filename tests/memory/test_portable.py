"""Export and import, backup and restore, Anki: the learner's data goes where the learner does."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from answering import keep_answer
from clock import Clock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tutor.base.errors import StorageError, UsageError
from tutor.course.catalog.course import open_course
from tutor.memory.course_sync import sync
from tutor.memory.record import Record, open_record
from tutor.memory.schedule.anki_export import make_notes, write_apkg
from tutor.memory.store.row_ids import all_rows, to_portable, uid_of
from tutor.memory.store.rows import CardId, JudgedProgram
from tutor.memory.store.schema import LOG_TABLES


def lived(record: Record, clock: Clock, name: str) -> None:
    """A row in every table."""
    term = CardId("term", name)
    keep_answer(
        record, f"q-{name}", 22, {"a": "x"}, False, 0.5, 4, 9.0, "quiz", numbers={"n": 1024}
    )
    record.activity.hint_shown("vector_add", 1)
    record.activity.save_edit("vector_add", "f.py", f"# {name}\n")
    record.activity.attempt(
        JudgedProgram("vector_add", f"# {name}\n", {"passed": True}, True, "cpu")
    )
    record.activity.hint_shown("vector_add", 1)
    record.activity.section_read(22, 0)
    record.activity.set_position(22, 1)
    record.activity.cell_run(22, 1, True)
    record.course_items.enter([term])
    clock.forward(days=1)
    record.reviews.rate(term, 1)
    record.reviews.rate(CardId("question", f"q-{name}"), 3)
    record.reviews.note(term, "µ-note")
    record.reviews.flag(term, 1)
    record.reviews.undo()
    record.settings.set_focus("masks")
    record.checkpoints.add(14, 11, 20, "Steady")
    record.checkpoints.tick(14, "can", True)
    record.checkpoints.add_misconception(14, "more", "false", "it depends", True)
    record.checkpoints.add_reflection(14, "shaky", f"Masks. {name}", 240)


def content(record: Record) -> tuple[list[Any], list[Any]]:
    """All rows without their local numbers, and all cards."""
    rows = []
    for table in LOG_TABLES:
        rows += [(table, uid) for (uid,) in record.log.select(f"SELECT uid FROM {table}")]
    columns = "kind, key, stability, difficulty, due, last_review, reviews, lapses, flag, note"
    return sorted(rows), sorted(record.log.select(f"SELECT {columns} FROM cards"))


def exported(record: Record, path: Path) -> list[str]:
    path.unlink(missing_ok=True)
    record.export(path)
    return path.read_text().splitlines()


def test_an_export_holds_everything(tmp_path: Path) -> None:
    clock = Clock()
    one = open_record(tmp_path / "one.sqlite3", clock)
    lived(one, clock, "warp")
    lines = exported(one, tmp_path / "all.jsonl")
    tables = [json.loads(line).get("table") for line in lines[1:]]
    assert set(tables) == {"texts", "items", *LOG_TABLES}
    other = open_record(tmp_path / "other.sqlite3", clock)
    merged = other.merge(lines, "all.jsonl")
    assert merged.added == sum(t not in ("texts", "items") for t in tables)
    assert content(other) == content(one)
    assert other.activity.attempts("vector_add")[0].source == "# warp\n"
    assert other.activity.hints_shown("vector_add") == 1
    assert other.activity.last_answer("q-warp") is not None
    assert other.activity.last_answer("q-warp").params == {"n": 1024}  # type: ignore[union-attr]
    assert other.settings.focus() == "masks"
    assert other.checkpoints.reflections(search="masks WARP")[0].seconds == 240
    again = other.merge(lines, "all.jsonl")
    assert (again.added, again.known) == (0, merged.added)
    assert other.reviews.undo() is not None  # what was done on the other machine as well
    one.close()
    other.close()


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.sampled_from("ab"), st.integers(1, 4)), max_size=12)
)
def test_two_machines_merge_to_the_same(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[int, str, int]]
) -> None:
    """Whoever did what, and whichever imports first."""
    folder = tmp_path_factory.mktemp("merge")
    clock = Clock()
    records = [open_record(folder / f"{name}.sqlite3", clock) for name in "ab"]
    for machine, key, rating in acts:
        clock.forward(hours=17)
        records[machine].reviews.rate(CardId("term", key), rating)
        if rating == 2:
            records[machine].reviews.undo()
    files = [exported(record, folder / f"{i}.jsonl") for i, record in enumerate(records)]
    records[0].merge(files[1], "1")
    records[1].merge(files[0], "0")
    assert content(records[0]) == content(records[1])
    before = content(records[0])
    records[0].rebuild()
    assert content(records[0]) == before
    for record in records:
        record.close()


@pytest.mark.parametrize(
    ("line", "change", "said"),
    [
        (0, ('"record"', '"notes"'), r"f\.jsonl:1: this is no export"),
        (0, ('"format":2', '"format":99'), r"f\.jsonl:1: the export has format 99"),
        (-1, ("Masks", "Layouts"), "the row is not what was exported"),
        (-1, ("}", ""), r"f\.jsonl:\d+: the line is not JSON from its column \d+ on"),
        (-1, ('"reflections"', '"secrets"'), "no table 'secrets'"),
    ],
)
def test_a_faulty_import_changes_nothing(
    tmp_path: Path, line: int, change: tuple[str, str], said: str
) -> None:
    clock = Clock()
    one = open_record(tmp_path / "one.sqlite3", clock)
    lived(one, clock, "warp")
    lines = exported(one, tmp_path / "f.jsonl")
    assert change[0] in lines[line]
    lines[line] = lines[line].replace(*change)
    other = open_record(tmp_path / "other.sqlite3", clock)
    with pytest.raises(UsageError, match=said) as caught:
        other.merge(lines, "f.jsonl")
    assert "\n" not in str(caught.value)
    assert content(other) == ([], [])
    one.close()
    other.close()


# Backups


BAD = {
    "a time that is none": ("answers", {"at": "garbage"}),
    "a time without a zone": ("card_events", {"at": "2026-11-20T10:00:00"}),
    "the year 1": ("answers", {"at": "0001-01-01T00:00:00+00:00"}),
    "a day that is none": ("sections", {"study_day": "9999-12-31"}),
    "a list": ("answers", {"day": [1]}),
    "more than 64 bits": ("answers", {"day": 2**70}),
    "infinity": ("reflections", {"seconds": float("inf")}),
    "a value of 5 000 levels": ("answers", {"value": "[" * 5_000 + "]" * 5_000}),
    "an id": ("answers", {"id": 2**63 - 1}),
    "half a character": ("answers", {"question": "\ud800"}),
    "a long name": ("answers", {"question": "q" * 5_000}),
    "a review without a rating": ("card_events", {"rating": None}),
    "a card of no kind": ("card_events", {"card": '["zzz", "a"]'}),
    "a setting that cannot be": ("settings", {"name": "desired_retention", "value": "-5"}),
}


@pytest.mark.parametrize(("table", "change"), BAD.values(), ids=BAD.keys())
def test_each_field_of_an_import_is_checked(
    tmp_path: Path, table: str, change: dict[str, Any]
) -> None:
    """The uid is right: anybody can compute it."""
    with closing(open_record(tmp_path / "one.sqlite3", clock := Clock())) as one:
        lived(one, clock, "warp")
        lines = exported(one, tmp_path / "f.jsonl")
    rows = [json.loads(line) for line in lines]
    number = next(
        n
        for n, row in enumerate(rows)
        if row.get("table") == table and row.get("action", "review") == "review"
    )
    row = {name: value for name, value in rows[number].items() if name not in ("table", "uid")}
    row = {name: value for name, value in {**row, **change}.items() if value is not None}
    uid = uid_of(table, row) & ((1 << 64) - 1)
    lines[number] = json.dumps({"table": table, "uid": f"{uid:016x}", **row})
    with closing(open_record(tmp_path / "other.sqlite3", clock)) as other:
        with pytest.raises(UsageError, match=rf"f\.jsonl:{number + 1}: "):
            other.merge(lines, "f.jsonl")
        assert content(other) == ([], [])


@pytest.mark.slow
def test_an_imported_card_that_the_course_lacks_is_kept_and_not_asked(tmp_path: Path) -> None:
    """The other machine has another edition of the course."""
    clock, card = Clock(), CardId("question", "nosuch")
    with closing(open_record(tmp_path / "one.sqlite3", clock)) as one:
        keep_answer(one, card.key, 1, "x", False, 0, 4, 9.0, "quiz")
        lines = exported(one, tmp_path / "f.jsonl")
    clock.forward(days=9)
    with closing(open_record(tmp_path / "other.sqlite3", clock)) as other:
        sync(other, open_course())
        other.merge(lines, "f.jsonl")
        sync(other, open_course())
        assert card not in [queued.id for queued in other.reviews.queue(other.today())]
        assert content(other)[1][0][:2] == card


def test_a_row_that_nothing_can_read_is_put_aside_and_everything_else_works(tmp_path: Path) -> None:
    """As an import of an earlier edition let it in."""
    path, clock = tmp_path / "one.sqlite3", Clock()
    with closing(open_record(path, clock)) as one:
        lived(one, clock, "warp")
        backup = one.back_up()
        before = content(one)
    for file in (path, backup):
        with closing(sqlite3.connect(file)) as db:
            for table in ("answers", "card_events"):
                row = dict(next(iter(all_rows(db, table))), at="garbage")
                columns = {name: value for name, value in row.items() if name not in ("id", "uid")}
                columns["uid"] = uid_of(table, to_portable(db, table, columns))
                places = ", ".join("?" * len(columns))
                db.execute(
                    f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})",
                    tuple(columns.values()),
                )
            db.execute("DELETE FROM kept")
            if file == backup:  # of somebody who wants more than a record
                db.execute(
                    "CREATE TRIGGER more AFTER INSERT ON ticks BEGIN DELETE FROM answers; END"
                )
            db.commit()
    path.with_name("one.sqlite3.seal").unlink()
    with closing(open_record(path, clock)) as one:
        assert "2 entries of the record cannot be read and lie aside" in one.notice
        assert content(one) == before
        one.export(tmp_path / "all.jsonl")
        assert one.back_up()
        one.restore(backup)
        assert content(one) == before
        assert not one.log.select("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    with closing(open_record(path, clock)) as again:
        assert again.notice == ""


def test_a_restore_brings_back_and_keeps_what_was_there(tmp_path: Path) -> None:
    clock = Clock()
    path = tmp_path / "record.sqlite3"
    record = open_record(path, clock)
    lived(record, clock, "warp")
    before = content(record)
    backup = record.back_up()
    clock.forward(hours=1)
    lived(record, clock, "lane")
    after = content(record)
    watching = open_record(path, clock)  # another process, or another window
    aside = record.restore(backup)
    assert content(record) == before
    assert content(watching) == before
    record.restore(aside)
    assert content(watching) == after
    watching.close()
    record.close()
    again = open_record(path, clock)
    assert again.notice == ""
    assert content(again) == after
    again.close()


def test_what_cannot_be_restored_is_said_and_changes_nothing(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "record.sqlite3", clock)
    with pytest.raises(UsageError, match="nothing to back up"):
        record.back_up()
    lived(record, clock, "warp")
    before = content(record)
    (tmp_path / "text").write_text("no record " * 1000)
    future = record.back_up()
    with closing(sqlite3.connect(future)) as db:
        db.execute("PRAGMA user_version = 99")
        db.commit()
    for file, said in [("none", "no file"), ("text", "not a database"), (future, "version 99")]:
        with pytest.raises(UsageError, match=said):
            record.restore(tmp_path / file)
    assert content(record) == before
    record.close()


def test_an_older_answer_that_is_imported_is_not_the_last_one(tmp_path: Path) -> None:
    clock = Clock()
    old, new = (open_record(tmp_path / name / "record.sqlite3", clock) for name in ("old", "new"))
    keep_answer(old, "q", 22, {"a": "old"}, False, 0.0, 1, 9.0, "quiz")
    clock.forward(days=1)
    keep_answer(new, "q", 22, {"a": "new"}, True, 1.0, 1, 9.0, "quiz")
    file = tmp_path / "old.jsonl"
    old.export(file)
    with file.open(encoding="utf-8") as lines:
        assert new.merge(lines, "old.jsonl").added > 0
    last = new.activity.last_answer("q")
    assert last is not None
    assert last.value == {"a": "new"}
    old.close()
    new.close()


def test_older_texts_that_are_imported_stand_behind_newer_ones(tmp_path: Path) -> None:
    clock = Clock()
    old, new = (open_record(tmp_path / name / "record.sqlite3", clock) for name in ("old", "new"))
    for record, text in ((old, "# old"), (new, "# new")):
        record.activity.save_edit("vector_add", "add.py", text)
        judged = JudgedProgram("vector_add", text, {"passed": False}, False, "cpu")
        record.activity.attempt(judged)
        record.activity.set_position(22, 5 if record is new else 0)
        clock.forward(days=1)
    file = tmp_path / "old.jsonl"
    old.export(file)
    with file.open(encoding="utf-8") as lines:
        assert new.merge(lines, "old.jsonl").added > 0
    assert [edit.text for edit in new.activity.edits("vector_add")] == ["# new", "# old"]
    assert [each.source for each in new.activity.attempts("vector_add")] == ["# new", "# old"]
    newest = new.activity.newest_edit("vector_add", "add.py")
    assert newest is not None
    assert newest.text == "# new"
    assert new.activity.save_edit("vector_add", "add.py", "# new") == newest.id
    assert new.activity.position(22) == 5
    old.close()
    new.close()


# The commands


def run(home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "TUTOR_HOME": str(home)}
    command = [sys.executable, "-m", "tutor", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.slow
def test_the_commands_move_a_record_between_machines(tmp_path: Path) -> None:
    clock = Clock()
    record = open_record(tmp_path / "one" / "record.sqlite3", clock)
    lived(record, clock, "warp")
    before = content(record)
    record.close()
    file = str(tmp_path / "all.jsonl")
    done = run(tmp_path / "one", "export", "jsonl", file)
    assert (done.returncode, done.stderr) == (0, "")
    refused = run(tmp_path / "one", "export", "jsonl", file)
    assert refused.returncode == 2
    assert "exists already" in refused.stderr
    imported = run(tmp_path / "two", "import", file).stdout
    assert imported.endswith(" imported, 0 already here\n")
    entries = done.stdout.removeprefix(f"{file}: ").split(";")[0]
    assert imported.startswith(f"{entries} imported"), "both count the same"
    record = open_record(tmp_path / "two" / "record.sqlite3", clock)
    assert content(record) == before
    record.close()
    told = run(tmp_path / "three", "import", file).stdout
    assert "taken over" not in told
    record = open_record(tmp_path / "one" / "record.sqlite3", clock)
    record.settings.set("rollover_hour", 0)
    record.export(tmp_path / "later.jsonl")
    record.close()
    told = run(tmp_path / "three", "import", str(tmp_path / "later.jsonl")).stdout
    assert "taken over as the newer setting: rollover_hour is 0, and was 4\n" in told
    again = run(tmp_path / "two", "import", file)
    assert again.stdout.startswith("0 entries imported")
    listed = run(tmp_path / "two", "backup", "--list")
    assert listed.returncode == 0
    backup = listed.stdout.split()[-1]
    restored = run(tmp_path / "two", "restore", backup)
    assert (restored.returncode, restored.stderr) == (0, "")
    aside = restored.stdout.split()[-1]
    listed = run(tmp_path / "two", "backup", "--list").stdout
    assert listed.split("put aside by `tutor restore`:")[1].split()[-1] == aside
    for command in (["import", "none"], ["restore", "none"], ["export", "csv", "x"]):
        done = run(tmp_path / "two", *command)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["export", "jsonl", "{}"],
        ["export", "anki", "{}"],
        ["report", "7", "--to", "{}"],
        ["xray", "{course}/kernels/vector_add/solution.py::add", "--repro", "{}"],
    ],
)
def test_a_file_that_cannot_be_written_is_named_with_the_reason(
    tmp_path: Path, command: list[str]
) -> None:
    file = tmp_path / "none" / "x"
    root = open_course().root
    done = run(tmp_path / "home", *(word.format(file, course=root) for word in command))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"tutor: cannot write {file}: no such folder\n"


def test_a_file_that_the_disk_does_not_take_is_no_fault_of_the_record(
    record: Record, tmp_path: Path
) -> None:
    with pytest.raises(StorageError, match=r"^cannot write .*/gone/x: no such folder$"):
        record.export(tmp_path / "gone" / "x")
    with pytest.raises(StorageError, match=r"^cannot write /dev/full: the disk is full$"):
        record.export(Path("/dev/full"))


@pytest.mark.slow
def test_restore_says_that_a_folder_is_no_backup(tmp_path: Path) -> None:
    done = run(tmp_path / "home", "restore", str(tmp_path))
    assert done.returncode == 2
    assert f"{tmp_path} is a folder" in done.stderr


# Anki


@pytest.mark.slow
def test_every_card_of_the_course_is_a_note(tmp_path: Path) -> None:
    course = open_course()
    record = open_record(tmp_path / "record.sqlite3")
    sync(record, course)
    known = {CardId(*row) for row in record.log.select("SELECT kind, key FROM items WHERE present")}
    record.close()
    made = list(make_notes(course))
    assert {note.card for note in made} == known
    assert len(made) == len(known)
    for note in made:
        assert note.front.strip()
        assert note.back.strip()


@pytest.mark.slow
def test_anki_opens_the_package_and_an_update_makes_no_doubles(tmp_path: Path) -> None:
    collection = pytest.importorskip("anki.collection")
    course = open_course()
    count = write_apkg(course, tmp_path / "course.apkg")
    write_apkg(course, tmp_path / "again.apkg")
    opened = collection.Collection(str(tmp_path / "collection.anki2"))
    try:
        for name in ("course", "again"):  # a later export: the same guids
            request = collection.ImportAnkiPackageRequest(
                package_path=str(tmp_path / f"{name}.apkg"),
                options=collection.ImportAnkiPackageOptions(),
            )
            opened.import_anki_package(request)
            assert opened.note_count() == opened.card_count() == count
        (found,) = opened.find_notes('"tutor check vector_add"')
        assert opened.get_note(found).has_tag("exercise")
        assert any("day-22" in opened.get_note(each).tags for each in opened.find_notes("softmax"))
        assert any(
            deck.name.startswith("ML compilers::2") for deck in opened.decks.all_names_and_ids()
        )
    finally:
        opened.close()


def test_a_guid_depends_on_the_id_alone() -> None:
    genanki = pytest.importorskip("genanki")
    # the value is fixed: another one would double every note of whoever has the deck
    assert genanki.guid_for("tutor", "question", "d22-masked-max") == "c2}:5fM1Ww"
