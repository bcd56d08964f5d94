"""A review session: the next card, the effect of a rating, the summary. The screen and the plain form
both use it, so neither contains scheduling."""

from collections import Counter, deque
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from tutor.course.model import Exercise
from tutor.memory.record import Record
from tutor.memory.schedule.cards import is_leech
from tutor.memory.schedule.ratings import AGAIN, EASY, GOOD, HARD
from tutor.memory.store.rows import CardId, QueuedCard, ReviewRow, Undone

PLAIN_TWIST = "From the starter, without a look at what you wrote then."
# Cards between a forgotten card and its return, if there are enough. Each time that it is forgotten
# again there are three times as many: else four of them would go round, and no other be asked.
REPEAT_DISTANCE, _FARTHER, _MOST_TIMES = 3, 3, 6


@dataclass(frozen=True)
class Summary:
    """The result of a session. A card counts by the first time: `remembered` of `reviewed`. A wrong
    answer is not remembered, whatever its rating.

    `strong` and `weak` are topics, the clearest first; `leeches` are cards that became one now;
    `next` is the first later study day with something due, `tomorrow` how many cards a
    review asks tomorrow.
    """

    reviewed: int
    remembered: int
    repeats: int
    seconds: float
    strong: tuple[str, ...]
    weak: tuple[str, ...]
    leeches: tuple[QueuedCard, ...]
    next: date | None
    tomorrow: int


@dataclass(frozen=True)
class Twist:
    """A review asks for the exercise's twist with this number, from 1; 0 asks to write it from the
    starter. `judged`: a verdict says whether it was done; else the learner does."""

    number: int
    text: str
    judged: bool

    @property
    def asks(self) -> bool:
        """Return True if the learner says whether it was done."""
        return self.number > 0 and not self.judged


@dataclass(frozen=True)
class _Rated:
    """A step of the session, with the data for its undo."""

    card: QueuedCard
    rating: int | None  # None: buried or suspended
    seconds: float
    repeat: bool
    knew: bool = False  # neither the answer nor the learner's rating says Again


class Session:
    """The cards of one sitting. Cards rated Again return until they are remembered; such repeats
    are kept and do not change the schedule."""

    def __init__(self, record: Record, today: date, cram: bool = False, **only: Any) -> None:
        """`only`: `phase`, `topic` or `day`, as for `Reviews.queue`."""
        self._record = record
        self._today = today
        self._origin = "cram" if cram else "review"
        self._todo = deque(record.reviews.queue(today, cram=cram, **only))
        self._done: list[_Rated] = []
        self._before = record.reviews.newest_event()
        self.undone: Undone | None = None  # what the last `undo` took back

    def next(self) -> QueuedCard | None:
        """Return the card to ask until it is rated, buried or suspended; None at the end."""
        return self._todo[0] if self._todo else None

    @property
    def left(self) -> int:
        return len(self._todo)

    @property
    def counts(self) -> dict[str, int]:
        """The cards that the session still asks, by "for the first time", "again", and "asked before"
        or, of a session that asks more than what is due, "to go"."""
        again = sum(self._was_rated(card.id) for card in self._todo)
        fresh = (card for card in self._todo if not self._was_rated(card.id))
        new = sum(card.new for card in fresh)
        rest = "to go" if self._origin == "cram" else "asked before"
        return {"for the first time": new, "again": again, rest: len(self._todo) - new - again}

    @property
    def repeated(self) -> bool:
        """Return True if the card was rated before in this session."""
        return bool(self._todo) and self._was_rated(self._todo[0].id)

    def preview(self, answer: int | None = None, *, given_up: bool = False) -> dict[int, int]:
        """For each rating, in how many days the card would come again; 0 is in this session.

        A card that was rated before in this session has two: a repeat does not change the schedule.
        One that was given up has one, Again. One that was answered wrong is never Easy.
        """
        days = self._record.reviews.preview(self._card.id, answer)
        if answer is not None and self._record.reviews.find_rating(answer) in (AGAIN, HARD):
            del days[EASY]
        if self.repeated:
            days = {AGAIN: 0, GOOD: days[GOOD]}
        elif self._card.id.kind != "exercise":
            days[AGAIN] = 0
        return {AGAIN: days[AGAIN]} if given_up else days

    def rate(
        self,
        rating: int,
        seconds: float = 0.0,
        answer: int | None = None,
    ) -> int:
        """Rate the card and go on. `answer`: the row that `Activity.answer` gave. Returns the event.

        A forgotten question or term is asked again in this session, an exercise tomorrow."""
        card = self._card
        # The rating that the answer itself proposed: it is replaced now.
        by_answer = None if answer is None else self._record.reviews.find_rating(answer)
        event = self._record.reviews.rate(
            card.id,
            rating,
            seconds=seconds,
            answer=answer,
            origin=self._origin,
        )
        knew = AGAIN not in (rating, by_answer)
        self._move_on(_Rated(card, rating, seconds, self._was_rated(card.id), knew))
        if rating == AGAIN and card.id.kind != "exercise":
            forgotten = sum(r.card.id == card.id and r.rating == AGAIN for r in self._done)
            distance = REPEAT_DISTANCE * _FARTHER ** min(forgotten - 1, _MOST_TIMES)
            self._todo.insert(min(distance, len(self._todo)), card)
        return event

    def bury(self) -> None:
        card = self._card
        self._record.reviews.bury(card.id)
        self._move_on(_Rated(card, None, 0.0, False))

    def suspend(self) -> None:
        card = self._card
        self._record.reviews.suspend(card.id)
        self._move_on(_Rated(card, None, 0.0, False))

    def skip(self) -> None:
        """Ask the card at the end of this session instead."""
        self._todo.rotate(-1)

    def take_attempt(self) -> int | None:
        """Go on if an attempt at this exercise has rated its card since the session began.

        Returns the rating that the verdict gave; None if there was no such attempt."""
        row = self._attempt_rating()
        if row is None:
            return None
        knew = row.rating != AGAIN
        self._move_on(_Rated(self._card, row.rating, row.seconds, False, knew))
        return row.rating

    def find_attempt(self) -> int | None:
        """Return what `take_attempt` would, without going on."""
        row = self._attempt_rating()
        return None if row is None else row.rating

    def answer_twist(self, did: bool) -> int | None:
        """Keep whether the attempt was written by the twist, and go on as `take_attempt` does. Without
        it the rating is Again: the card is not remembered."""
        row = self._attempt_rating()
        if row is None:
            return None
        rating = row.rating if did else AGAIN
        self._record.reviews.answer_twist(self._card.id, row.id, rating, did=did)
        knew = rating != AGAIN
        self._move_on(_Rated(self._card, rating, row.seconds, False, knew))
        return rating

    def _attempt_rating(self) -> ReviewRow | None:
        """Return the newest rating of the card by an attempt since the session began."""
        rows = reversed(self._record.reviews.history(self._card.id))
        mine = (r for r in rows if r.origin == "attempt" and r.id > self._before and not r.undone)
        return next(mine, None)

    def flag(self, flag: int) -> None:
        self._record.reviews.flag(self._card.id, flag)

    def note(self, text: str) -> None:
        self._record.reviews.note(self._card.id, text)

    @property
    def may_undo(self) -> bool:
        return self._record.reviews.may_undo(self._today)

    def undo(self) -> QueuedCard | None:
        """Undo the newest rating or decision of today, also of an earlier session. Its card becomes the
        current card and is returned; None if there is nothing left to undo. `undone` then says what it
        was."""
        undone = self.undone = self._record.reviews.undo(self._today)
        if undone is None:
            return None
        if undone.action in ("review", "bury", "suspend"):
            new = False
            for place in reversed(range(len(self._done))):
                if self._done[place].card.id == undone.card:
                    new = self._done.pop(place).card.new
                    break
            self._todo = deque(card for card in self._todo if card.id != undone.card)
            if (card := self._record.reviews.card(undone.card)) is not None:
                card = card._replace(new=new)
                self._todo.appendleft(card)
                return card
        return self._record.reviews.card(undone.card)

    def summary(self) -> Summary:
        first = [r for r in self._done if r.rating is not None and not r.repeat]
        missed: Counter[str] = Counter()
        asked: Counter[str] = Counter()
        for rated in first:
            for topic in rated.card.topics:
                asked[topic] += 1
                missed[topic] += not rated.knew
        # among equal shares, the topic with more questions is the better evidence
        order = sorted(asked, key=lambda t: (-missed[t] / asked[t], -asked[t], t))
        cards = [
            self._record.reviews.card(card) for card in dict.fromkeys(r.card.id for r in first)
        ]
        failed = {r.card.id for r in first if r.rating == AGAIN}
        return Summary(
            reviewed=len(first),
            remembered=sum(r.knew for r in first),
            repeats=sum(r.repeat for r in self._done),
            seconds=sum(r.seconds for r in self._done),
            strong=tuple(t for t in reversed(order) if not missed[t])[:3],
            weak=tuple(t for t in order if missed[t])[:3],
            leeches=tuple(c for c in cards if c and c.id in failed and is_leech(c.lapses)),
            next=self._record.reviews.due(self._today).next,
            tomorrow=len(self._record.reviews.queue(self._today + timedelta(days=1))),
        )

    @property
    def _card(self) -> QueuedCard:
        if not self._todo:
            raise ValueError("the session is over")
        return self._todo[0]

    def _was_rated(self, card: CardId) -> bool:
        return any(r.card.id == card and r.rating is not None for r in self._done)

    def _move_on(self, step: _Rated) -> None:
        self._todo.popleft()
        self._done.append(step)


def twist_of(exercise: Exercise, reviews: int) -> Twist:
    """Return the twist at review number `reviews`: the instruction to solve it in another way. The
    twists take turns."""
    if not exercise.twists:
        return Twist(0, PLAIN_TWIST, judged=False)
    place = reviews % len(exercise.twists)
    return Twist(place + 1, exercise.twists[place], place + 1 in exercise.judged_twists)
