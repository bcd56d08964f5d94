"""What is said of an exercise that is right: for the first time, and after questions about it. Only
reads."""

from datetime import date
from typing import TYPE_CHECKING

from tutor.base.day_text import format_day
from tutor.base.number_text import plural
from tutor.memory.store.rows import CardId

if TYPE_CHECKING:
    from tutor.memory.record import Record


def say_first_pass(record: "Record", slug: str) -> str:
    """Say after how many tries the newest answer is right, and when reviews ask the exercise again; ""
    unless it is the first right one. A program that is judged twice is one try."""
    attempts = record.activity.attempts(slug)
    if not attempts or not attempts[0].passed or any(a.passed for a in attempts[1:]):
        return ""
    card = record.reviews.card(CardId("exercise", slug))
    returns = f"; it returns on {_day(record, card.due)}" if card and not card.suspended else ""
    tries = len({attempt.source for attempt in attempts})
    return f"Right at the {ordinal(tries)} try{returns}."


def say_after_questions(record: "Record", slug: str, right: int, total: int) -> str:
    """Say how many answers about a right program were right, and when the exercise returns if some
    were not."""
    said = f"{right} of {plural(total, 'answer')} right."
    card = record.reviews.card(CardId("exercise", slug))
    if right == total or card is None or card.suspended:
        return said
    return f"{said} {slug} returns on {_day(record, card.due)}."


def _day(record: "Record", due: date) -> str:
    return f"{format_day(due, record.today())}{record.say_begin(due)}"


def ordinal(number: int) -> str:
    """`first`, `second`, … `fifth`, then `6th`, `21st`."""
    words = ("first", "second", "third", "fourth", "fifth")
    if 0 < number <= len(words):
        return words[number - 1]
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ends.get(number % 10, 'th')}"
