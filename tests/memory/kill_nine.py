"""Kill a reviewing program at random moments and see what it had promised.

    python tests/memory/kill_nine.py [KILLS]        (500 by default)

Each life opens the record, does numbered things and says a number only after its call returned. It is
killed with SIGKILL at a random moment: while it opens, writes, or does nothing. At the end every
number that was said must be in the record exactly once, and no number twice.
"""

import os
import random
import select
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from answering import keep_answer

from tutor.memory.record import open_record
from tutor.memory.store.rows import CardId, JudgedProgram

LONGEST_LIFE = 0.03  # seconds


def live(path: Path, first: int, said: int) -> None:
    """Do numbered things until killed."""
    record = open_record(path)
    assert record.notice == "", record.notice
    for number in range(first, first + 100_000):
        match number % 5:
            case 0:
                name = f"q{number % 40}"
                keep_answer(record, name, 22, number, False, 0.0, 4, float(number), "review")
            case 1:
                record.reviews.rate(
                    CardId("term", f"t{number % 30}"), 1 + number % 4, seconds=number
                )
            case 2:
                record.activity.attempt(
                    JudgedProgram("vector_add", f"{number}", {}, number % 2 == 0, "cpu")
                )
            case 3:
                record.reviews.note(CardId("question", f"q{number % 40}"), f"{number}")
            case _:
                record.checkpoints.add_reflection(14, "prompt", f"{number}", 1.0)
        os.write(said, f"{number}\n".encode())


def kill_repeatedly(path: Path, kills: int, seed: int = 0) -> tuple[set[int], Counter[int]]:
    """The numbers that were said, and how often each stands in the record."""
    draw = random.Random(seed)
    said: set[int] = set()
    for life in range(kills):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            try:
                live(path, life * 100_000, writer)
            finally:
                os._exit(1)  # a life that ends by itself is a fault, told by its status
        os.close(writer)
        if life % 2:  # every second life is at work when it ends, however slow the machine
            select.select([reader], [], [], 30)
        time.sleep(draw.uniform(0, LONGEST_LIFE))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"life {life} ended before it was killed"
        heard = b""
        while select.select([reader], [], [], 0)[0] and (chunk := os.read(reader, 1 << 16)):
            heard += chunk
        os.close(reader)
        said |= {int(line) for line in heard.split(b"\n")[:-1]}
    return said, numbers(path)


def numbers(path: Path) -> Counter[int]:
    queries = (
        "SELECT value FROM answers",
        "SELECT seconds FROM card_events WHERE action = 'review' AND origin = 'review' "
        "AND answer IS NULL",
        "SELECT body FROM attempts JOIN texts ON texts.id = source",
        "SELECT value FROM card_events WHERE action = 'note'",
        "SELECT text FROM reflections",
    )
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return Counter(int(float(row[0])) for query in queries for row in db.execute(query))


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        promised, kept = kill_repeatedly(Path(folder) / "record.sqlite3", count)
        lost = promised - kept.keys()
        doubled = [number for number, times in kept.items() if times > 1]
        print(
            f"{count} kills in {time.monotonic() - start:.0f} s: {len(promised)} acts confirmed, "
            f"{len(lost)} lost, {len(doubled)} doubled, "
            f"{len(kept.keys() - promised)} kept that were not confirmed in time"
        )
        sys.exit(bool(lost or doubled))
