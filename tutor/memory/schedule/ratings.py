"""The four ratings of a review, and the rating for an answer or an attempt."""

AGAIN, HARD, GOOD, EASY = RATINGS = 1, 2, 3, 4
RATING_NAMES = {AGAIN: "again", HARD: "hard", GOOD: "good", EASY: "easy"}
SURE = 4  # from this confidence on, a wrong answer is a confident mistake


def rating_of_answer(right: bool | None, credit: float, confidence: int | None) -> int | None:
    """Return Again for a wrong answer, Hard for a partly right one, Good for a right one, Easy if the
    learner was also sure; None for an ungraded answer."""
    if right is None:
        return None
    if right:
        return EASY if confidence == 5 else GOOD
    return HARD if credit > 0 else AGAIN


def rating_of_pass(hints: int, failures: int, share_of_time: float | None = None) -> int:
    """Return the rating of an exercise that passes: Good, lowered by hints and failed attempts.

    `share_of_time`: minutes at work over the planned minutes, None if unknown. A share above two
    counts as one failure; a share up to one half without hints and failures is Easy.
    """
    slips = max(hints, failures)
    if share_of_time is not None and share_of_time > 2:
        slips = max(slips, 1)
    if slips == 0:
        return EASY if share_of_time is not None and share_of_time <= 0.5 else GOOD
    return HARD if slips < 3 else AGAIN
