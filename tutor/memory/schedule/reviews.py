"""Reviews: the queue, ratings, and decisions about cards. Ratings and decisions can be undone."""

import sqlite3
from datetime import date, timezone
from typing import Any

from tutor.memory.schedule import card_updates, queue, replaced_items
from tutor.memory.schedule.cards import Event, is_leech
from tutor.memory.schedule.due import Due, Limits, due, due_keys, limits_left, read_limits
from tutor.memory.schedule.queue import Only
from tutor.memory.schedule.ratings import RATINGS
from tutor.memory.store.log import Log, local_time, storable
from tutor.memory.store.rows import CardId, QueuedCard, ReviewRow, SetAside, Undone

# Events that `undo` takes back. Events of entering, quizzes and the judge stay.
_LIST = "cards"  # the origin of decisions in the list of all cards, which a review does not undo
_UNDOABLE = (
    "(action = 'review' AND origin IN ('review', 'cram')) OR (origin IS NULL "
    "AND action IN ('bury', 'suspend', 'unsuspend', 'flag', 'note'))"
)


class Reviews:
    """The queue, the effect of each rating, and every decision about a card."""

    def __init__(self, log: Log) -> None:
        self._log = log

    # Rating

    def rate(
        self,
        card: CardId,
        rating: int,
        *,
        seconds: float = 0.0,
        confidence: int | None = None,
        answer: int | None = None,
        origin: str = "review",
    ) -> int:
        """Rate a card, 1 (Again) to 4 (Easy). Returns the event's id.

        With `answer`, a row of `Activity.answer`, the rating replaces the rating that the answer
        proposed, in the same transaction. `origin` "cram" keeps the rating without changing the
        schedule. Raises `ValueError` for an unknown rating.
        """
        if rating not in RATINGS:
            raise ValueError(f"a rating is 1 to 4, not {rating!r}")
        with self._log.transaction() as db:
            item = card_updates.item_id(db, *card)
            replaced = None
            proposed = _event_of(db, answer)
            if proposed is not None:
                event, replaced, was, sure = proposed
                if was == rating:
                    return event
                confidence = sure if confidence is None else confidence
            return self._keep_rating(
                db,
                item,
                replaced,
                rating=rating,
                confidence=confidence,
                seconds=float(seconds),
                origin=origin,
                answer=answer,
            )

    def answer_twist(self, card: CardId, event: int, rating: int, *, did: bool) -> int:
        """Keep the learner's word on whether an attempt was written by the twist of its review.

        `event` is the attempt's rating. Another one takes its place, which says "yes" or "no" and can be
        undone. Returns its id.
        """
        with self._log.transaction() as db:
            item = card_updates.item_id(db, *card)
            uid, attempt, seconds = db.execute(
                "SELECT uid, attempt, seconds FROM card_events WHERE id = ?", (event,)
            ).fetchone()
            return self._keep_rating(
                db,
                item,
                uid,
                rating=rating,
                seconds=seconds,
                origin="review",
                attempt=attempt,
                value="yes" if did else "no",
            )

    def _keep_rating(
        self, db: sqlite3.Connection, item: int, replaced: int | None, **columns: Any
    ) -> int:
        """Store a rating, in the place of the event with the uid `replaced`. Return its id."""
        if replaced is not None:
            self._log.append("card_events", card=item, action="undo", value=str(replaced))
        moment = self._log.clock()
        at, day = moment.astimezone(timezone.utc).isoformat(), self._log.study_day_of(db, moment)
        return card_updates.add_review(db, item, at, day.isoformat(), **columns)

    def find_rating(self, answer: int) -> int | None:
        """Return the rating in use for an answer; None if it was neither graded nor rated."""
        with self._log.reading() as db:
            event = _event_of(db, answer)
        return None if event is None else event[2]

    def preview(self, card: CardId, answer: int | None = None) -> dict[int, int]:
        """Map each rating to the days until the card would be due, exactly as `rate` computes them.

        `answer`: the row whose proposed rating the new rating would replace, if there is one.
        """
        with self._log.reading() as db:
            item, event = _find_item(db, card), _event_of(db, answer)
            today = self._log.study_day_of(db, self._log.clock())
            before: list[Event] = []
            if item is not None:
                before = card_updates.events_of(db, item, event[0] if event else None)
            return card_updates.days_until_due(db, card, before, today)

    # Decisions

    def bury(self, card: CardId) -> int:
        """Do not ask the card before tomorrow."""
        return self._decide(card, "bury")

    def suspend(self, card: CardId, *, in_list: bool = False) -> int:
        """Do not ask the card until it is unsuspended. `in_list`: no review undoes it."""
        return self._decide(card, "suspend", origin=_LIST if in_list else None)

    def unsuspend(self, card: CardId) -> int:
        return self._decide(card, "unsuspend")

    def flag(self, card: CardId, flag: int) -> int:
        """`flag`: 0 for none, 1 to 7. Raises `ValueError` for another."""
        if not 0 <= flag <= 7:
            raise ValueError(f"a flag is 0 to 7, not {flag!r}")
        return self._decide(card, "flag", str(flag))

    def note(self, card: CardId, text: str) -> int:
        """Write the learner's note on a card; "" removes it."""
        return self._decide(card, "note", storable(text))

    def may_undo(self, since: date | None = None) -> bool:
        """Return True if there is something to undo, of the study day `since` or later."""
        with self._log.reading() as db:
            return _newest_undoable(db, since) is not None

    def undo(self, since: date | None = None) -> Undone | None:
        """Undo the newest valid rating or decision of a review; None if there is none.

        It goes back to the study day `since`, or as far as the record does, over restarts. What was
        decided in the list of all cards is taken back there.
        """
        with self._log.transaction() as db:
            row = _newest_undoable(db, since)
            if row is None:
                return None
            uid, item, action, rating = row
            self._log.append("card_events", card=item, action="undo", value=str(uid))
            card_updates.refold(db, item)
            kind, key = db.execute("SELECT kind, key FROM items WHERE id = ?", (item,)).fetchone()
        return Undone(CardId(kind, key), action, rating)

    def _decide(
        self, card: CardId, action: str, value: str | None = None, origin: str | None = None
    ) -> int:
        with self._log.transaction() as db:
            item = card_updates.item_id(db, *card)
            event = self._log.append(
                "card_events", card=item, action=action, value=value, origin=origin
            )
            card_updates.refold(db, item)
        return event.id

    # Asking

    def limits(self) -> Limits:
        """The learner's daily limits."""
        with self._log.reading() as db:
            return read_limits(db)

    def queue(
        self,
        today: date,
        limits: Limits | None = None,
        phase: int | None = None,
        topic: str | None = None,
        day: int | None = None,
        cram: bool = False,
    ) -> tuple[QueuedCard, ...]:
        """The cards to ask on `today`, in order; without `limits`, the learner's own.

        Limits are for the whole day: what was reviewed before counts. `cram`: cards due or not.
        """
        only = Only(phase, topic, day)
        with self._log.reading() as db:
            if cram:
                return queue.cram(db, only)
            left = limits_left(db, today, limits or self.limits())
            return queue.queue(db, today, left, only)

    def card(self, card: CardId) -> QueuedCard | None:
        """Return a card that has entered, in any state; else None."""
        return next(iter(self._list_cards("cards.kind = ? AND cards.key = ?", *card)), None)

    def leeches(self) -> tuple[QueuedCard, ...]:
        return tuple(card for card in self._list_cards("lapses >= 8") if is_leech(card.lapses))

    def list_set_aside(self) -> tuple[SetAside, ...]:
        """Every card that is suspended, flagged or no longer in the course, the earliest due first."""
        with self._log.reading() as db:
            orphans = {card.id for card in queue.list_cards(db, "orphan")}
            cards = queue.list_cards(db, "suspended OR flag > 0 OR orphan")
        return tuple(SetAside(card, _reason(card, card.id in orphans)) for card in cards)

    def list_every(self) -> tuple[SetAside, ...]:
        """Every card that has entered, the earliest due first; the reason is "" where it is asked."""
        with self._log.reading() as db:
            orphans = {card.id for card in queue.list_cards(db, "orphan")}
            cards = queue.list_cards(db, "1")
        return tuple(SetAside(card, _reason(card, card.id in orphans)) for card in cards)

    def bring_back(self, card: QueuedCard) -> bool:
        """Unsuspend a card in the list and remove its flag. Returns False if it had neither."""
        if card.suspended:
            self._decide(card.id, "unsuspend", origin=_LIST)
        if card.flag:
            self._decide(card.id, "flag", "0", origin=_LIST)
        return card.suspended or bool(card.flag)

    def _list_cards(self, condition: str, *values: Any) -> tuple[QueuedCard, ...]:
        with self._log.reading() as db:
            return queue.list_cards(db, condition, *values)

    def history(self, card: CardId) -> tuple[ReviewRow, ...]:
        """List every rating of a card, oldest first, including undone ratings."""
        with self._log.reading() as db:
            item = _find_item(db, card)
            items = ", ".join(map(str, replaced_items.all_of(db, item))) if item else ""
        rows = self._log.select(
            "SELECT id, at, study_day, rating, coalesce(seconds, 0), confidence, origin, "
            f"{card_updates.UNDONE} FROM card_events AS e WHERE action = 'review' AND card IN ({items}) "
            "ORDER BY at, id"
        )
        return tuple(
            ReviewRow._make((id_, local_time(at), date.fromisoformat(day), *rest, bool(undone)))
            for id_, at, day, *rest, undone in rows
        )

    def newest_event(self) -> int:
        """Return the number of the newest row about a card; 0 if there is none."""
        return int(self._log.select("SELECT coalesce(max(id), 0) FROM card_events")[0][0])

    def due(self, today: date) -> Due:
        with self._log.reading() as db:
            return due(db, today)

    def due_exercises(self, today: date) -> tuple[str, ...]:
        with self._log.reading() as db:
            return due_keys(db, "exercise", today)


def _reason(card: QueuedCard, orphan: bool) -> str:
    reasons = {"suspended": card.suspended, "flagged": card.flag, "no longer asked": orphan}
    return ", ".join(reason for reason, holds in reasons.items() if holds)


def _event_of(
    db: sqlite3.Connection, answer: int | None
) -> tuple[int, int, int, int | None] | None:
    """Return id, uid, rating and confidence of the valid rating of an answer."""
    if answer is None:
        return None
    row: tuple[int, int, int, int | None] | None = db.execute(
        "SELECT id, uid, rating, confidence FROM card_events AS e WHERE answer = ? "
        f"AND NOT {card_updates.UNDONE} ORDER BY id DESC LIMIT 1",
        (answer,),
    ).fetchone()
    return row


def _find_item(db: sqlite3.Connection, card: CardId) -> int | None:
    row = db.execute("SELECT id FROM items WHERE kind = ? AND key = ?", card).fetchone()
    return None if row is None else int(row[0])


def _newest_undoable(
    db: sqlite3.Connection, since: date | None
) -> tuple[str, int, str, int | None] | None:
    """The uid, the card's number, the action and the rating of the event that `undo` takes back."""
    row: tuple[str, int, str, int | None] | None = db.execute(
        f"SELECT uid, card, action, rating FROM card_events AS e WHERE ({_UNDOABLE}) "
        f"AND study_day >= ? AND NOT {card_updates.UNDONE} ORDER BY at DESC, id DESC LIMIT 1",
        [since.isoformat() if since else ""],
    ).fetchone()
    return row
