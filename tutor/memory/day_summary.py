"""The learner's results on one day of the course, for the end of its lesson. Only reads."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from tutor.base.day_text import format_day
from tutor.memory.quiz_session import answered_in_quiz
from tutor.memory.statistics.progress import LONGEST_ANSWER
from tutor.memory.store.rows import CardId
from tutor.memory.store.study_day import minutes_covered

if TYPE_CHECKING:
    from tutor.course.model import Question
    from tutor.memory.record import Record


class Score(NamedTuple):
    """`right` of `of` graded answers."""

    right: int = 0
    of: int = 0


class KernelResult(NamedTuple):
    """An exercise of the day. `best_ms`: the shortest measured call of a right answer, if any was."""

    slug: str
    passed: bool
    best_ms: float | None = None


@dataclass(frozen=True)
class DaySummary:
    """A question counts by its newest answer that was given without a look at the solution.

    `questions`: those that the quiz itself has asked and, once it has asked one, those that a placement
    spared it; not those of a review only; `topics`: the
    score of each of their topics, the weakest first; `minutes`: at work on this day's pages, questions
    and exercises; `tomorrow`: cards that a review asks tomorrow, of all days, and `waiting` new ones
    that wait for a later day; `compared`: answers in words to the quiz that the learner has compared,
    which are no part of `questions`; `left_open`: predictions that were given up, which are no part of
    `predictions`; `begin`: the hour from which tomorrow counts, if it has the clock's date.
    """

    predictions: Score
    questions: Score
    topics: tuple[tuple[str, Score], ...]
    kernels: tuple[KernelResult, ...]
    minutes: float
    tomorrow: int
    waiting: int
    compared: int = 0
    left_open: int = 0
    begin: str = ""


def day_summary(
    record: "Record",
    day: int,
    predictions: Iterable["Question"],
    questions: Iterable["Question"],
    exercises: Sequence[str],
) -> DaySummary:
    """Sum up a day: its lesson's predictions, its quiz's questions and its exercises' slugs."""
    answers = [
        (question, _is_right(record, question)) for question in answered_in_quiz(record, questions)
    ]
    predicted = [record.activity.last_answer(q.id, retries=False) for q in predictions]
    made = [answer for answer in predicted if answer and answer.value is not None]
    topics: dict[str, list[bool]] = {}
    for question, right in answers:
        for topic in question.tags if right is not None else ():
            topics.setdefault(topic, []).append(bool(right))
    scores = [(topic, Score(sum(answers), len(answers))) for topic, answers in topics.items()]
    tomorrow = record.today() + timedelta(days=1)
    with record.log.reading() as db:
        return DaySummary(
            _score(answer.right for answer in made),
            _score(right for _, right in answers),
            tuple(sorted(scores, key=lambda pair: (pair[1].right / pair[1].of, pair[0]))),
            tuple(_kernel(db, slug) for slug in exercises),
            _minutes(db, day, exercises),
            len(record.reviews.queue(tomorrow)),
            record.reviews.due(tomorrow).waiting,
            sum(right is None and question.kind == "open" for question, right in answers),
            sum(answer is not None and answer.value is None for answer in predicted),
            record.say_begin(tomorrow),
        )


def say_predictions(summary: DaySummary) -> str:
    """Say how the predictions turned out, and how many were given up."""
    right, of = summary.predictions
    said = f"{right} of {of} right" if of else ""
    left_open = f"{summary.left_open} left open" if summary.left_open else ""
    return ", ".join(filter(None, (said, left_open)))


def find_missed(record: "Record", questions: Iterable["Question"]) -> tuple["Question", ...]:
    """The questions whose newest answer is wrong or partly right."""
    answers = ((q, record.activity.last_answer(q.id)) for q in questions)
    return tuple(question for question, last in answers if last and last.right is False)


def predict_return(record: "Record", questions: Iterable["Question"]) -> str:
    """Say when reviews ask these questions again; "" where none has a card."""
    today = record.today()
    cards = (record.reviews.card(CardId("question", question.id)) for question in questions)
    due = Counter(max(card.due, today) for card in cards if card and not card.suspended)
    parts = []
    for day, count in sorted(due.items()):
        days = (day - today).days
        begin = record.say_begin(day)
        when = f"today{begin}" if begin or not days else f"on {format_day(day, today)}"
        if days == 1 and not begin:
            when = "tomorrow"
        parts.append(f"{count} {when}")
    listed = " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
    return f"They return in your reviews: {listed}." if parts else ""


def _is_right(record: "Record", question: "Question") -> bool | None:
    last = record.activity.last_answer(question.id, retries=False)
    return last.right if last else None


def _score(graded: Iterable[bool | None]) -> Score:
    known = [right for right in graded if right is not None]
    return Score(sum(known), len(known))


def _kernel(db: sqlite3.Connection, slug: str) -> KernelResult:
    passed, best = db.execute(
        "SELECT count(*), min(CASE WHEN coalesce(json_extract(verdict, '$.timing.believed'), 1) "
        "THEN json_extract(verdict, '$.timing.learner.median_ms') END) "
        "FROM attempts WHERE exercise = ? AND passed",
        (slug,),
    ).fetchone()
    return KernelResult(slug, bool(passed), best)


def _minutes(db: sqlite3.Connection, day: int, exercises: Sequence[str]) -> float:
    rows = db.execute(
        "SELECT at, seconds FROM answers WHERE day = ? AND origin IN ('quiz', 'predict', 'retry') "
        "UNION ALL SELECT at, 0 FROM sections WHERE day = ? "
        "UNION ALL SELECT at, 0 FROM positions WHERE day = ? "
        "UNION ALL SELECT at, 0 FROM cells WHERE day = ?",
        (day,) * 4,
    ).fetchall()
    for table in ("attempts", "edits", "hints"):
        for slug in exercises:
            rows += db.execute(f"SELECT at, 0 FROM {table} WHERE exercise = ?", (slug,)).fetchall()
    spans = []
    for at, seconds in rows:
        end = datetime.fromisoformat(at)
        spans.append((end - min(timedelta(seconds=max(seconds, 0)), LONGEST_ANSWER), end))
    return minutes_covered(spans)
