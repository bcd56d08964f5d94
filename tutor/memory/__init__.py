"""What the learner did and what is due: one SQLite file, opened with `open_record`.

The names below are imported when they are asked for: `tutor due` reads two of these modules, and a
shell prompt that calls it should not wait for the rest.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tutor.memory.catalogue import Changes, lesson_finished, sync
    from tutor.memory.progress import DayProgress, Due
    from tutor.memory.queue import Limits
    from tutor.memory.record import Record, open_record
    from tutor.memory.rows import Answer, Attempt, CardId, Edit, QueuedCard, Undone
    from tutor.memory.session import Session, Summary
    from tutor.memory.studyday import today

_MODULES = {
    "Answer": "rows",
    "Attempt": "rows",
    "CardId": "rows",
    "Changes": "catalogue",
    "DayProgress": "progress",
    "Due": "progress",
    "Edit": "rows",
    "Limits": "queue",
    "QueuedCard": "rows",
    "Record": "record",
    "Session": "session",
    "Summary": "session",
    "Undone": "rows",
    "lesson_finished": "catalogue",
    "open_record": "record",
    "sync": "catalogue",
    "today": "studyday",
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
