"""The review queue after many years: the due cards, the next card, an answer, a rebuild."""

import json
import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.harness import Times, rounded
from tests.memory.answering import keep_answer
from tutor.memory.record import Record, open_record
from tutor.memory.store.row_ids import uid_of
from tutor.memory.store.rows import CardId

_TODAY = datetime(2030, 1, 1, 12, tzinfo=timezone.utc)
_GROWTH = (2, 5, 12, 28, 60, 110, 180, 250, 300, 350)  # days between the reviews of a card
_INDEXED = ("card_events_by_card", "card_events_by_day", "card_events_by_time")


@dataclass(frozen=True)
class DueQueue:
    """`start`: opening this record (milliseconds); `start_empty`: opening one without a row."""

    cards: int
    reviews: int
    due: int
    queue: Times
    next_card: Times
    answer: Times
    start: Times
    start_empty: Times
    rebuild_s: float

    def to_json(self) -> dict[str, Any]:
        return {
            "cards": self.cards,
            "reviews": self.reviews,
            "due": self.due,
            "queue_p50_ms": rounded(self.queue.median),
            "queue_p95_ms": rounded(self.queue.percentile(95)),
            "next_p95_ms": rounded(self.next_card.percentile(95)),
            "answer_p50_ms": rounded(self.answer.median),
            "answer_p95_ms": rounded(self.answer.percentile(95)),
            "start_extra_ms": rounded(self.start.median - self.start_empty.median),
            "rebuild_s": self.rebuild_s,
        }

    def lines(self) -> Iterator[str]:
        yield f"{self.cards} cards, {self.reviews} reviews, {self.due} cards due"
        yield f"what to ask today  {self.queue.percentiles()}"
        yield f"the next card      {self.next_card.percentiles()}"
        yield f"an answer kept     {self.answer.percentiles()}"
        yield f"opening the record {self.start.words()}; an empty one {self.start_empty.words()}"
        yield f"all cards computed anew from the rows: {self.rebuild_s:.1f} s"


def measure(folder: Path, cards: int, reviews: int, runs: int) -> DueQueue:
    """Build such a record in `folder` and use it. Its clock always shows noon of one day."""
    path, empty = folder / "old.sqlite3", folder / "new.sqlite3"
    open_record(empty, _clock).close()
    fill(path, cards, reviews)
    with _open(path) as record:
        began = time.perf_counter()
        record.rebuild()
        rebuild = time.perf_counter() - began
    with _open(path) as record:
        today = record.today()
        due = record.reviews.due(today)
        asked = record.reviews.queue(today)
        turns = iter(range(10**9))
        queue = _time(runs, lambda: record.reviews.queue(today))
        next_card = _time(runs, lambda: _after(record, today, asked[0].id))
        answer = _time(runs, lambda: _answer(record, asked[next(turns) % len(asked)].id))
    start, start_empty = (
        _time(max(runs // 4, 3), partial(_connect, each)) for each in (path, empty)
    )
    return DueQueue(
        cards=cards,
        reviews=reviews,
        due=due.questions + due.terms + due.kernels,
        queue=queue,
        next_card=next_card,
        answer=answer,
        start=start,
        start_empty=start_empty,
        rebuild_s=round(rebuild, 2),
    )


def _after(record: Record, today: date, asked: CardId) -> CardId:
    """Return the first card of the queue that is not the one just asked."""
    return next(card.id for card in record.reviews.queue(today) if card.id != asked)


def _clock() -> datetime:
    return _TODAY


def _open(path: Path) -> "closing[Record]":
    return closing(open_record(path, _clock))


def _answer(record: Record, card: CardId) -> None:
    keep_answer(record, card.key, 1, "a", True, 1.0, 3, 12.0, "review")


def _connect(path: Path) -> None:
    open_record(path, _clock).close()


def _time(runs: int, act: Callable[[], object]) -> Times:
    found = []
    for _ in range(runs):
        start = time.perf_counter()
        act()
        found.append(time.perf_counter() - start)
    return Times.of(found)


def fill(path: Path, cards: int, reviews: int) -> None:
    """A record in which `cards` cards were reviewed `reviews` times in all, over years.

    The rows are written directly: the record's own methods make each answer safe before the next,
    which takes long.
    """
    open_record(path, _clock).close()
    draw = random.Random(1)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA cache_size = -200000")  # KiB
        made = dict(db.execute("SELECT name, sql FROM sqlite_schema"))
        for name in _INDEXED:  # made at the end, from sorted rows: several times as quick
            db.execute(f"DROP INDEX {name}")
        db.execute("BEGIN")
        db.executemany(
            "INSERT INTO items (id, kind, key, day, phase, digest) VALUES (?, ?, ?, ?, ?, 'x')",
            ((i, *_name(i), i % 70, i % 5 + 1) for i in range(1, cards + 1)),
        )
        topics = ((f"topic {i % 40}", i) for i in range(1, cards + 1))
        db.executemany("INSERT INTO topics VALUES (?, ?)", topics)
        db.executemany(
            "INSERT INTO card_events (at, study_day, card, action, rating, confidence, seconds, "
            "origin, uid) VALUES (?, ?, ?, 'review', ?, 3, 9.0, 'review', ?)",
            _reviews(draw, cards, reviews),
        )
        db.execute("COMMIT")
        for name in _INDEXED:
            db.execute(made[name])


def _reviews(draw: random.Random, cards: int, reviews: int) -> list[tuple[Any, ...]]:
    """(at, study day, card, rating, uid), oldest first."""
    rows: list[tuple[date, int, int]] = []
    for number in range(reviews):
        card, turn = number % cards + 1, number // cards
        if turn == 0:
            back = sum(_GROWTH[: -(-reviews // cards) - 1]) + draw.randrange(20, 420)
            last = _TODAY.date() - timedelta(days=back)
        else:
            last = rows[number - cards][0]
            last += timedelta(days=_GROWTH[(turn - 1) % len(_GROWTH)] + draw.randrange(2))
        rating = draw.choices((1, 2, 3, 4), (8, 7, 75, 10))[0]
        rows.append((last, card, rating))
    rows.sort()
    return [
        (f"{_iso(day)}T12:00:00+00:00", _iso(day), card, rating, _uid(day, card, rating))
        for day, card, rating in rows
    ]


def _uid(day: date, card: int, rating: int) -> int:
    """The digest of a review's row: a record with another is taken for damaged."""
    row = {
        "at": f"{_iso(day)}T12:00:00+00:00",
        "study_day": _iso(day),
        "card": json.dumps(_name(card), separators=(",", ":")),
        "action": "review",
        "rating": rating,
        "confidence": 3,
        "seconds": 9.0,
        "origin": "review",
    }
    return uid_of("card_events", row)


def _name(card: int) -> tuple[str, str]:
    return "term" if card % 4 == 0 else "question", f"d{card % 70}-{card}"


def _iso(day: date) -> str:
    return day.isoformat()
