"""The cards to ask today, in order. Only reads; the limits keep every query short."""

import sqlite3
from collections import deque
from collections.abc import Iterable, Sequence, Set
from datetime import date
from typing import Any, NamedTuple

from tutor.memory.schedule.cards import is_leech
from tutor.memory.schedule.due import ASKABLE, UNANSWERED, Limits, answered, known
from tutor.memory.store import settings
from tutor.memory.store.rows import CardId, QueuedCard

CRAM_AT_ONCE = 500
_COLUMNS = (
    "cards.id, cards.kind, cards.key, title, day, phase, section, due, changed, sure, suspended, "
    "reviews, lapses, flag, note, stability, difficulty, last_review"
)
_DUE = 7  # its place in a row
_FROM = f"SELECT {_COLUMNS} FROM cards JOIN items ON items.id = cards.id"


class Only(NamedTuple):
    """The restriction of a session to a phase, topic or day; None means no restriction."""

    phase: int | None = None
    topic: str | None = None
    day: int | None = None

    def where(self) -> tuple[str, tuple[Any, ...]]:
        """Return the restriction as SQL to append to other conditions, with its values."""
        parts: list[tuple[str, Any]] = []
        if self.phase is not None:
            parts.append((" AND phase = ?", self.phase))
        if self.day is not None:
            parts.append((" AND day = ?", self.day))
        if self.topic is not None:
            within = " AND cards.id IN (SELECT item FROM topics WHERE topic = ?)"
            parts.append((within, self.topic))
        return "".join(text for text, _ in parts), tuple(value for _, value in parts)


def queue(
    db: sqlite3.Connection, today: date, limits: Limits, only: Only
) -> tuple[QueuedCard, ...]:
    """Due cards: confident mistakes first, then the rest with topics mixed, the focus topic taking
    every second place while it lasts, new cards spread among known ones. New is what no review has
    asked yet: of these at most `limits.new` come, and the others wait."""
    focus = settings.get_setting(db, "focus")
    old, met = known(db), answered(db)
    sure_old = _due(db, today, limits.reviews, only, f"sure AND {old}")
    sure_new = _due(db, today, limits.new, only, f"sure AND {met}")
    reviews, new = limits.reviews - len(sure_old), limits.new - len(sure_new)
    again = _choose_with_focus(db, today, reviews, only, f"NOT sure AND {old}", focus)
    fresh = [
        row
        for state in (f"NOT sure AND {met}", UNANSWERED)
        for row in _choose_with_focus(db, today, new, only, state, focus)
    ]
    fresh.sort(key=lambda row: row[_DUE])  # what waits longest comes first
    mistakes = mix_topics(_cards(db, [*sure_old, *sure_new], {row[0] for row in sure_new}))
    rest = merge_evenly(
        _alternate_with_focus(_cards(db, again), focus),
        _alternate_with_focus(_cards(db, fresh[: max(new, 0)], {row[0] for row in fresh}), focus),
    )
    return (*mistakes, *rest)


def cram(db: sqlite3.Connection, only: Only) -> tuple[QueuedCard, ...]:
    """Cards whether due or not, the weakest memory first, at most `CRAM_AT_ONCE`."""
    where, values = only.where()
    rows = db.execute(
        f"{_FROM} WHERE {ASKABLE}{where} ORDER BY stability, cards.id LIMIT ?",
        (*values, CRAM_AT_ONCE),
    ).fetchall()
    return tuple(mix_topics(_cards(db, rows)))


def list_cards(db: sqlite3.Connection, condition: str, *values: Any) -> tuple[QueuedCard, ...]:
    """The cards that meet a condition, the earliest due first."""
    rows = db.execute(f"{_FROM} WHERE {condition} ORDER BY due, cards.id", values).fetchall()
    return tuple(_cards(db, rows))


def _choose_with_focus(
    db: sqlite3.Connection, today: date, limit: int, only: Only, state: str, focus: str | None
) -> list[Any]:
    """Up to `limit` rows; half of the places are kept for the focus topic."""
    if focus is None:
        return _due(db, today, limit, only, state)
    where = f"{state} AND cards.id IN (SELECT item FROM topics WHERE topic = ?)"
    favoured = _due(db, today, (limit + 1) // 2, only, where, focus)
    seen = {row[0] for row in favoured}
    others = [row for row in _due(db, today, limit, only, state) if row[0] not in seen]
    return favoured + others[: max(limit - len(favoured), 0)]


def _due(
    db: sqlite3.Connection, today: date, limit: int, only: Only, state: str, *more: Any
) -> list[Any]:
    if limit <= 0:
        return []
    where, values = only.where()
    order = "due, cards.id" if state.startswith("stability IS NULL") else "due, stability, cards.id"
    return db.execute(
        f"{_FROM} WHERE {ASKABLE} AND due <= ? AND {state}{where} ORDER BY {order} LIMIT ?",
        (today.isoformat(), *more, *values, limit),
    ).fetchall()


def _cards(
    db: sqlite3.Connection, rows: Sequence[Any], new: Set[int] = frozenset()
) -> list[QueuedCard]:
    """The cards of the rows; `new`: the ids of those that no review has asked."""
    topics: dict[int, list[str]] = {row[0]: [] for row in rows}
    numbers = ", ".join(str(int(id_)) for id_ in topics)
    for item, topic in db.execute(
        f"SELECT item, topic FROM topics WHERE item IN ({numbers}) ORDER BY item, topic"
    ):
        topics[item].append(topic)
    return [_card(row, tuple(topics[row[0]]), row[0] in new) for row in rows]


def _card(row: Any, topics: tuple[str, ...], new: bool) -> QueuedCard:
    (_, kind, key, title, day, phase, section, due, changed, sure, suspended) = row[:11]
    (reviews, lapses, flag, note, stability, difficulty, last) = row[11:]
    return QueuedCard(
        id=CardId(kind, key),
        title=title,
        day=day,
        phase=phase,
        topics=topics,
        section=section,
        due=date.fromisoformat(due),
        changed=bool(changed),
        confident_mistake=bool(sure),
        suspended=bool(suspended),
        reviews=reviews,
        lapses=lapses,
        leech=is_leech(lapses),
        flag=flag,
        note=note,
        stability=stability,
        difficulty=difficulty,
        last_review=date.fromisoformat(last) if last else None,
        new=new or stability is None,
    )


def mix_topics(cards: Iterable[QueuedCard]) -> list[QueuedCard]:
    """Take a card of each topic in turn, so that two neighbours seldom share a topic. Within a topic
    the order stays. A card's topic is its first, or the day it belongs to."""
    piles: dict[object, deque[QueuedCard]] = {}
    for card in cards:
        piles.setdefault(card.topics[0] if card.topics else card.day, deque()).append(card)
    order = []
    while piles:
        for topic in list(piles):
            order.append(piles[topic].popleft())
            if not piles[topic]:
                del piles[topic]
    return order


def _alternate_with_focus(cards: Sequence[QueuedCard], focus: str | None) -> list[QueuedCard]:
    """Mix the topics; the focus topic takes the first place and every second place while it lasts."""
    favoured = deque(card for card in cards if focus in card.topics)
    others = deque(mix_topics(card for card in cards if focus not in card.topics))
    order = []
    while favoured or others:
        for pile in (favoured, others):
            if pile:
                order.append(pile.popleft())
    return order


def merge_evenly(many: Sequence[QueuedCard], few: Sequence[QueuedCard]) -> list[QueuedCard]:
    """Merge both lists evenly; each keeps its order."""
    places = [((i + 0.5) / len(many), 0, i) for i in range(len(many))]
    places += [((i + 0.5) / len(few), 1, i) for i in range(len(few))]
    return [(many, few)[which][i] for _, which, i in sorted(places)]
