"""Wrong answers of the course's exercises, as programs that a test hands in."""

from tutor.base.paths import course_root
from tutor.course.reading.wrong_answers import wrong_answer


def wrong_program(slug: str, name: str) -> str:
    """The whole program of a wrong answer of the exercise `slug`."""
    return wrong_answer(course_root() / "kernels" / slug, name).code
