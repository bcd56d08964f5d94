"""Rows that the record returns.

They are named tuples, as are the other records that home needs: making the class of a frozen dataclass
takes 0.56 ms, of a named tuple 0.10, and home waits for 33 of them (15 ms of 250 on two cores).
"""

from datetime import date, datetime
from typing import Any, NamedTuple


class Answer(NamedTuple):
    """`value` is JSON (lists, not tuples); `right` is None if the answer could not be graded."""

    id: int
    at: datetime
    question: str
    day: int
    value: Any
    right: bool | None
    credit: float
    confidence: int | None
    seconds: float
    origin: str
    params: Any = None


class JudgedProgram(NamedTuple):
    """A submission to keep: the text of a program for an exercise, and its verdict (JSON)."""

    exercise: str
    source: str
    verdict: dict[str, Any]
    passed: bool
    device: str


class Attempt(NamedTuple):
    """A kept `JudgedProgram`: `source` is the learner\'s text, `verdict` its JSON."""

    id: int
    at: datetime
    exercise: str
    source: str
    verdict: dict[str, Any]
    passed: bool
    device: str


class Edit(NamedTuple):
    """A text as the learner left it in the file `path`, submitted or not."""

    id: int
    at: datetime
    exercise: str
    path: str
    text: str


class CardId(NamedTuple):
    """`kind`: "question", "term" or "exercise"; `key`: the author's id, or the exercise's slug."""

    kind: str
    key: str


class QueuedCard(NamedTuple):
    """A card and its data. `topics` are the author's tags; `section` is the slug of the
    lesson's section to go back to, or ""; `changed`: its meaning did since the last review;
    `flag`: 0 for none, 1 to 7. Stability is in days; it, difficulty and the last review are None for a
    card that was never answered. `new`: no review has asked it yet."""

    id: CardId
    title: str
    day: int
    phase: int
    topics: tuple[str, ...]
    section: str
    due: date
    changed: bool
    confident_mistake: bool
    suspended: bool
    reviews: int
    lapses: int
    leech: bool
    flag: int
    note: str
    stability: float | None
    difficulty: float | None
    last_review: date | None
    new: bool = False


class SetAside(NamedTuple):
    """A card, and why it is set aside: suspended, flagged, no longer asked; "" if it is not."""

    card: QueuedCard
    reason: str


class ReviewRow(NamedTuple):
    """`day` is the study day; `undone` is True if the learner undid the rating."""

    id: int
    at: datetime
    day: date
    rating: int
    seconds: float
    confidence: int | None
    origin: str
    undone: bool


class Undone(NamedTuple):
    """An undone act: `action` is "review", "bury", "suspend", "unsuspend", "flag" or "note"."""

    card: CardId
    action: str
    rating: int | None


class CheckpointRow(NamedTuple):
    """The result of a checkpoint taken: points, of how many, and the name of the band they reach."""

    id: int
    at: datetime
    day: int
    score: float
    out_of: float
    band: str


class MisconceptionRow(NamedTuple):
    """`answer`: "true", "partly" or "false"; `reason`: why, in the learner's words."""

    id: int
    at: datetime
    day: int
    item: str
    answer: str
    reason: str
    right: bool


class ReflectionRow(NamedTuple):
    """What the learner wrote to a checkpoint's prompt, in how many seconds."""

    id: int
    at: datetime
    day: int
    prompt: str
    text: str
    seconds: float
