"""The lab of a review: from the starter once more, with a twist, without the earlier attempts."""

from textual.screen import Screen

from tutor.course.model import Exercise
from tutor.memory import Record

PLAIN_TWIST = "From the starter, without a look at what you wrote then."


def review_lab(record: Record, exercise: Exercise, twist: str) -> Screen[None]:
    """Start the exercise over. Its verdict goes into the record as every attempt does; that is what
    rates the card. Raises `UsageError` where the file cannot be written."""
    from tutor.ui.lab.mode import review_mode
    from tutor.ui.lab.screen import LabScreen

    return LabScreen(exercise.slug, review_mode(record, exercise, twist))


def twist_of(exercise: Exercise, reviews: int) -> str:
    """The twist of a card's review number `reviews`: each twist in its turn."""
    return exercise.twists[reviews % len(exercise.twists)] if exercise.twists else PLAIN_TWIST
