"""The four ratings of a review, and which of them an answer or an attempt earns."""

AGAIN, HARD, GOOD, EASY = RATINGS = 1, 2, 3, 4
RATING_NAMES = {AGAIN: "again", HARD: "hard", GOOD: "good", EASY: "easy"}
SURE = 4  # from this confidence on, a wrong answer is a confident mistake


def rating_of_answer(right: bool | None, credit: float, confidence: int | None) -> int | None:
    """Wrong is Again, partly right Hard, right Good, right and sure of it Easy; ungraded None."""
    if right is None:
        return None
    if right:
        return EASY if confidence == 5 else GOOD
    return HARD if credit > 0 else AGAIN


def rating_of_pass(hints: int, failures: int, share_of_time: float | None = None) -> int:
    """An exercise that passes: Good, lowered by the hints taken and the attempts that failed.

    `share_of_time`: minutes at work over the minutes the exercise is meant to take, None where
    nobody knows. More than twice as long is a slip; half of it without any slip is Easy.
    """
    slips = max(hints, failures)
    if share_of_time is not None and share_of_time > 2:
        slips = max(slips, 1)
    if slips == 0:
        return EASY if share_of_time is not None and share_of_time <= 0.5 else GOOD
    return HARD if slips < 3 else AGAIN
