"""What the learner did and what is due: one SQLite file, opened with `open_record`."""

from tutor.memory.record import Record, open_record
from tutor.memory.rows import Answer, Attempt, DayProgress, Due, Edit
from tutor.memory.studyday import today

__all__ = [
    "Answer",
    "Attempt",
    "DayProgress",
    "Due",
    "Edit",
    "Record",
    "open_record",
    "today",
]
