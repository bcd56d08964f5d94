"""The learner's record: one SQLite file of answers, attempts, notes and reviews, opened with
`open_record`. Neither the content of the course nor its grading is here (`tutor.course`,
`tutor.quiz`).

The names below are imported on first use: `tutor due` needs two of these modules, and a shell prompt
that calls it must not wait for the rest.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tutor.memory.course_sync import lesson_finished, sync
    from tutor.memory.record import Record, open_record
    from tutor.memory.review_session import Session, Summary
    from tutor.memory.schedule.course_items import Changes
    from tutor.memory.schedule.due import Due
    from tutor.memory.schedule.queue import Limits
    from tutor.memory.statistics.progress import DayProgress
    from tutor.memory.store.rows import Answer, Attempt, CardId, Edit, QueuedCard, Undone
    from tutor.memory.store.study_day import today

_MODULES = {
    "Answer": "store.rows",
    "Attempt": "store.rows",
    "CardId": "store.rows",
    "Changes": "schedule.course_items",
    "DayProgress": "statistics.progress",
    "Due": "schedule.due",
    "Edit": "store.rows",
    "Limits": "schedule.queue",
    "QueuedCard": "store.rows",
    "Record": "record",
    "Session": "review_session",
    "Summary": "review_session",
    "Undone": "store.rows",
    "lesson_finished": "course_sync",
    "open_record": "record",
    "sync": "course_sync",
    "today": "store.study_day",
}

__all__ = [
    "Answer",
    "Attempt",
    "CardId",
    "Changes",
    "DayProgress",
    "Due",
    "Edit",
    "Limits",
    "QueuedCard",
    "Record",
    "Session",
    "Summary",
    "Undone",
    "lesson_finished",
    "open_record",
    "sync",
    "today",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
