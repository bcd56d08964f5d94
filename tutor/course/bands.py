"""What a quiz's score means, in the words of its own bands."""

from tutor.course.model import Band, Quiz


def band(quiz: Quiz, score: float, out_of: int) -> Band | None:
    """The highest band that `score` of `out_of` points reaches; None where no band is that low."""
    share = score / out_of if out_of else 0.0
    # 0.7 + 0.2 of partial credits must reach a band that begins at 0.9
    reached = [band for band in quiz.bands if share + 1e-9 >= band.min]
    return max(reached, key=lambda band: band.min, default=None)
