"""Figures of learning, retention and due cards, computed from the rows for `tutor stats` and the
statistics screen."""

import sqlite3
from collections import Counter
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

from tutor.memory.schedule.card_updates import UNDONE
from tutor.memory.schedule.cards import LEECH_LAPSES
from tutor.memory.schedule.due import (
    ASKABLE,
    UNANSWERED,
    answered,
    known,
    limits_left,
    read_limits,
)
from tutor.memory.statistics import calibration, progress
from tutor.memory.statistics.calibration import Bin, ConfidentAnswer
from tutor.memory.statistics.topic_strength import Strength, compute_chances, rate_days, rate_topics

MATURE_DAYS = 21  # days from one review to the next: Anki's mark of a mature card
MASTERED_DAYS = 21  # days of stability of the exercise's card
YEAR, MONTH = 365, 30


@dataclass(frozen=True)
class Retention:
    """True retention: the remembered share of each card's first reviews of a day. A young card
    had an interval below `MATURE_DAYS` days."""

    young: int = 0
    young_right: int = 0
    mature: int = 0
    mature_right: int = 0

    @property
    def share(self) -> float | None:
        """0 to 1; None before the first review."""
        total = self.young + self.mature
        return (self.young_right + self.mature_right) / total if total else None


@dataclass(frozen=True)
class Kernels:
    """`mastered`: passed again in reviews until it holds `MASTERED_DAYS` days."""

    passed: int
    mastered: int


@dataclass(frozen=True)
class Answers:
    """The answers that the learner gave, by where. A term that was said in a review is one. `cram`: in
    reviews that leave the schedule as it is; `programs`: those about programs of the learner's own;
    `again`: tries of a question whose answer was shown."""

    quizzes: int = 0
    lessons: int = 0
    placement: int = 0
    reviews: int = 0
    cram: int = 0
    programs: int = 0
    again: int = 0

    @property
    def total(self) -> int:
        return sum(asdict(self).values())

    def in_words(self) -> str:
        """`28 · quizzes 12, lessons 3, placement 8, reviews 5`."""
        parts = [f"{name} {count}" for name, count in asdict(self).items() if count]
        return f"{self.total} · {', '.join(parts)}" if parts else "none yet"


@dataclass(frozen=True)
class Statistics:
    """Days are study days; `learnt` and `streak` count those with work of any kind. `minutes`,
    `reviewed` and `answered` leave out days without. The forecast begins today, and today includes
    overdue cards (`backlog`). `reviews` and `reviewed` count ratings of cards, wherever they came from,
    without those that were taken back."""

    today: date
    cards: dict[str, int]
    answers: Answers
    answered: dict[date, int]
    reviews: int
    retention_month: Retention
    retention: Retention
    backlog: int
    forecast: tuple[tuple[date, int], ...]
    reviewed: dict[date, int]
    minutes: dict[date, float]
    learnt: int
    streak: int
    topics: tuple[Strength, ...]
    days: tuple[Strength, ...]
    kernels: Kernels
    curve: tuple[Bin, ...]
    brier: float | None
    brier_by_week: tuple[tuple[date, float], ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values; days are ISO dates."""

        def plain(value: Any) -> Any:
            if isinstance(value, dict):
                return {str(key): plain(one) for key, one in value.items()}
            if isinstance(value, list | tuple):
                return [plain(one) for one in value]
            return value.isoformat() if isinstance(value, date) else value

        values: dict[str, Any] = plain(asdict(self))
        for name in ("retention_month", "retention"):
            values[name]["share"] = getattr(self, name).share
        return values


def statistics(db: sqlite3.Connection, today: date) -> Statistics:
    """Compute all figures of the statistics, as of the study day `today`."""
    answers = _confident_answers(db)
    learnt = progress.days_learnt(db)
    known = compute_chances(db, today)
    ever, month = _retention(db, today - timedelta(days=MONTH))
    return Statistics(
        today=today,
        cards=_counts(db),
        answers=_answers(db),
        answered=_count_by_day(db, today, _ANSWERS),
        reviews=_number(db, f"SELECT count(*) FROM ({_RATINGS})"),
        retention_month=month,
        retention=ever,
        backlog=_number(
            db, f"SELECT count(*) FROM cards WHERE {ASKABLE} AND due < ?", today.isoformat()
        ),
        forecast=_forecast(db, today),
        reviewed=_count_by_day(db, today, _RATINGS),
        minutes=_minutes(db, today),
        learnt=len(learnt),
        streak=progress.count_streak(learnt, today),
        topics=rate_topics(db, known),
        days=rate_days(db, known),
        kernels=_kernels(db),
        curve=calibration.curve(answers),
        brier=calibration.brier(answers),
        brier_by_week=calibration.brier_by_week(answers),
    )


_RATINGS = f"SELECT study_day FROM card_events AS e WHERE action = 'review' AND NOT {UNDONE}"
# A term is answered in a review by its rating alone; an exercise is no answer. A prediction is kept as
# it is made, and once more with its grade when its cell has run: that is one answer. A question about a
# program of the learner's that was left out has no answer. An answer in a review whose ratings were all
# taken back is none.
_ANSWERS = (
    "SELECT study_day, origin FROM answers AS a WHERE NOT "
    "(origin = 'predict' AND correct IS NULL AND EXISTS (SELECT 1 FROM answers AS b "
    "WHERE b.question = a.question AND b.id > a.id AND b.origin = 'predict' "
    "AND b.correct IS NOT NULL AND b.value IS a.value)) "
    "AND NOT (origin = 'program' AND correct IS NULL) "
    "AND NOT (origin IN ('review', 'cram') "
    "AND EXISTS (SELECT 1 FROM card_events AS e WHERE e.answer = a.id) "
    f"AND NOT EXISTS (SELECT 1 FROM card_events AS e WHERE e.answer = a.id AND NOT {UNDONE})) "
    "UNION ALL SELECT study_day, origin FROM card_events AS e "
    "WHERE action = 'review' AND origin IN ('review', 'cram') AND answer IS NULL AND attempt IS NULL "
    f"AND NOT {UNDONE}"
)
_PLACES = {  # by origin
    "quiz": "quizzes",
    "predict": "lessons",
    "placement": "placement",
    "review": "reviews",
    "cram": "cram",
    "program": "programs",
    "retry": "again",
}


def _number(db: sqlite3.Connection, query: str, *values: Any) -> int:
    return int(db.execute(query, values).fetchone()[0])


def _counts(db: sqlite3.Connection) -> dict[str, int]:
    """Count the cards by kind and by state."""
    counts = {"question": 0, "term": 0, "exercise": 0}
    counts.update(db.execute("SELECT kind, count(*) FROM cards WHERE NOT orphan GROUP BY kind"))
    states = {
        "new": f"{ASKABLE} AND stability IS NULL",
        "suspended": "suspended",
        "orphans": "orphan",
        "flagged": "flag > 0",
        "leeches": f"lapses >= {LEECH_LAPSES}",
    }
    for name, condition in states.items():
        counts[name] = _number(db, f"SELECT count(*) FROM cards WHERE {condition}")
    return counts


def _answers(db: sqlite3.Connection) -> Answers:
    counts: Counter[str] = Counter()
    for origin, count in db.execute(f"SELECT origin, count(*) FROM ({_ANSWERS}) GROUP BY origin"):
        counts[_PLACES.get(origin, "again")] += count
    return Answers(**counts)


def _retention(db: sqlite3.Connection, since: date) -> tuple[Retention, Retention]:
    """Return the retention of all reviews, and of those after `since`. A card is young or mature by
    the days since its review before; its first review is no recall. A wrong answer is none that was
    remembered, whatever its learner rated it."""
    wrong = "SELECT 1 FROM answers WHERE id = e.answer AND correct = 0 AND credit = 0"
    rows = db.execute(
        "SELECT gap >= ?, right, study_day > ?, count(*) FROM (SELECT study_day, "
        f"rating > 1 AND NOT EXISTS ({wrong}) AS right, "
        "julianday(study_day) - julianday(lag(study_day) OVER (PARTITION BY card ORDER BY at, id)) "
        f"AS gap FROM card_events AS e WHERE action = 'review' AND origin <> 'cram' AND NOT {UNDONE}) "
        "WHERE gap >= 1 GROUP BY 1, 2, 3",
        (MATURE_DAYS, since.isoformat()),
    )
    counts = {(bool(mature), bool(right), bool(late)): n for mature, right, late, n in rows}

    def of(which: tuple[bool, ...]) -> Retention:
        def count(mature: bool, right: bool) -> int:
            return sum(counts.get((mature, right, late), 0) for late in which)

        young, old = count(False, True), count(True, True)
        return Retention(young + count(False, False), young, old + count(True, False), old)

    return of((False, True)), of((True,))


def _forecast(db: sqlite3.Connection, today: date) -> tuple[tuple[date, int], ...]:
    """Count the cards that each day asks as they are due now, new ones up to the day's limit."""
    most = read_limits(db).new
    days = [today + timedelta(days=step) for step in range(MONTH)]

    def count_due(state: str) -> dict[str, int]:
        query = f"SELECT max(due, ?), count(*) FROM cards WHERE {ASKABLE} AND {state} AND due <= ?"
        return dict(db.execute(f"{query} GROUP BY 1", (str(today), str(days[-1]))))

    old, new = count_due(known(db)), Counter(count_due(answered(db)))
    new.update(count_due(UNANSWERED))
    left = limits_left(db, today, read_limits(db)).new
    forecast, waiting = [], 0
    for day in days:
        waiting += new[str(day)]
        fresh = min(waiting, left)
        forecast.append((day, old.get(str(day), 0) + fresh))
        waiting, left = waiting - fresh, most
    return tuple(forecast)


def _count_by_day(db: sqlite3.Connection, today: date, rows_of: str) -> dict[date, int]:
    """Count the rows of a query on each day of the last year."""
    rows = db.execute(
        f"SELECT study_day, count(*) FROM ({rows_of}) WHERE study_day > ? GROUP BY study_day",
        ((today - timedelta(days=YEAR)).isoformat(),),
    )
    return {date.fromisoformat(day): count for day, count in rows}


def _minutes(db: sqlite3.Connection, today: date) -> dict[date, float]:
    minutes = progress.minutes_by_day(db, today, MONTH)
    first = today - timedelta(days=MONTH - 1)
    days = (first + timedelta(days=step) for step in range(MONTH))
    return {day: round(m, 2) for day, m in zip(days, minutes, strict=True) if m}


def _kernels(db: sqlite3.Connection) -> Kernels:
    passed = _number(db, "SELECT count(DISTINCT exercise) FROM attempts WHERE passed")
    mastered = _number(
        db,
        "SELECT count(*) FROM cards WHERE kind = 'exercise' AND NOT orphan AND reviews > 1 "
        "AND stability >= ?",
        MASTERED_DAYS,
    )
    return Kernels(passed, mastered)


def _confident_answers(db: sqlite3.Connection) -> list[ConfidentAnswer]:
    rows = db.execute(
        "SELECT study_day, confidence, correct FROM answers "
        "WHERE confidence IS NOT NULL AND correct IS NOT NULL ORDER BY at, id"
    )
    return [
        ConfidentAnswer(date.fromisoformat(day), sure, bool(right)) for day, sure, right in rows
    ]
