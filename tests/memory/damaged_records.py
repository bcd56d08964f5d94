"""A soak outside the suite: records whose files are damaged at random.

    python tests/memory/damaged_records.py [--seconds 120] [--seed 1]

A record with a seal and a backup must open, with a sentence where anything was wrong, lose no row, and
take a new one. Exits with 1 if one did otherwise.
"""

import argparse
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from answering import keep_answer

from tutor.memory.record import open_record
from tutor.memory.store.rows import CardId, JudgedProgram

TABLES = ("answers", "attempts", "card_events", "reflections")
PAGE = 4096
Damage = Callable[[bytearray, random.Random], None]


def make_record(folder: Path) -> None:
    with closing(open_record(folder / "record.sqlite3")) as record:
        for n in range(200):
            keep_answer(record, f"q{n % 40}", 22, "a", n % 3 == 0, 0.0, 4, float(n), "review")
            record.reviews.rate(CardId("term", f"t{n % 30}"), 1 + n % 4)
            if n % 5 == 0:
                program = JudgedProgram("vector_add", f"# {n}\n", {"x": "y" * 50}, False, "cpu")
                record.activity.attempt(program)
                record.checkpoints.add_reflection(14, "prompt", f"text {n}", 1)
            if n == 120:
                record.back_up()


def rows_of(path: Path) -> set[tuple[str, int]]:
    with closing(sqlite3.connect(path)) as db:
        return {(t, uid) for t in TABLES for (uid,) in db.execute(f"SELECT uid FROM {t}")}


def flip(count: int) -> Damage:
    def damage(data: bytearray, draw: random.Random) -> None:
        for _ in range(count):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)

    return damage


def damage_schema(data: bytearray, draw: random.Random) -> None:
    """One byte of the text that makes a table."""
    places = [at for at in range(len(data)) if data[at : at + 7] == b"CREATE "]
    data[draw.choice(places) + draw.randrange(60)] ^= 1 << draw.randrange(8)


def zero_page(data: bytearray, draw: random.Random) -> None:
    at = PAGE * draw.randrange(len(data) // PAGE)
    data[at : at + PAGE] = bytes(PAGE)


def truncate(data: bytearray, draw: random.Random) -> None:
    del data[draw.randrange(len(data)) :]


def spoil_head(data: bytearray, draw: random.Random) -> None:
    data[:100] = draw.randbytes(100)


def append_junk(data: bytearray, draw: random.Random) -> None:
    data += draw.randbytes(5000)


KINDS: dict[str, Damage] = {
    "one bit": flip(1),
    "eight bits": flip(8),
    "200 bits": flip(200),
    "the schema": damage_schema,
    "a page of zeros": zero_page,
    "cut off": truncate,
    "empty": lambda data, _: data.clear(),
    "the head": spoil_head,
    "junk at the end": append_junk,
}


def find_fault(folder: Path, wanted: set[tuple[str, int]]) -> str:
    path = folder / "record.sqlite3"
    with closing(open_record(path)) as record:
        notice = record.notice
        record.activity.section_read(1, 0)
        record.rebuild()
        record.export(folder / "out.jsonl")
    with closing(open_record(path)) as record:
        if record.notice:
            return f"told again: {record.notice}"
    lost = len(wanted - rows_of(path))
    return f"{lost} rows lost, said: {notice!r}" if lost else ""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw, tried, bad = random.Random(given.seed), Counter[str](), 0
    with tempfile.TemporaryDirectory() as name:
        base, folder = Path(name, "base"), Path(name, "damaged")
        base.mkdir()
        make_record(base)
        data, wanted = (base / "record.sqlite3").read_bytes(), rows_of(base / "record.sqlite3")
        end = time.monotonic() + given.seconds
        while time.monotonic() < end:
            kind = list(KINDS)[tried.total() % len(KINDS)]
            tried[kind] += 1
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(base, folder)
            damaged = bytearray(data)
            KINDS[kind](damaged, draw)
            (folder / "record.sqlite3").write_bytes(damaged)
            try:
                fault = find_fault(folder, wanted)
            except Exception as error:
                fault = f"{type(error).__name__}: {error}"
            if fault:
                bad += 1
                print(f"BAD {kind}: {fault[:300]}", flush=True)
    print(f"{tried.total()} damaged records, {bad} bad: {dict(tried)}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
