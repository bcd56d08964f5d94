"""The lab of a review: from the starter once more, with a twist, without the earlier attempts."""

from textual.screen import Screen

from tutor.course.model import Exercise
from tutor.memory.record import Record
from tutor.ui.lab.mode import review_mode
from tutor.ui.lab.screen import LabScreen


def review_lab(record: Record, exercise: Exercise, twist: str) -> Screen[None]:
    """Start the exercise over. Its verdict goes into the record as every attempt does; that is what
    rates the card. Raises `UsageError` where the file cannot be written."""
    return LabScreen(exercise.slug, review_mode(record, exercise, twist))
