"""What the learner did and what is due: one SQLite file, opened with `open_record`.

The names below are imported when they are asked for: `tutor due` reads two of these modules, and a
shell prompt that calls it should not wait for the rest.
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
