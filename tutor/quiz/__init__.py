"""Questions: from typed text to a value, from a value to a grade. Pure: no files, no clock."""

from tutor.quiz.bands import band
from tutor.quiz.grade import Grade, grade
from tutor.quiz.parse import parse, typed

__all__ = ["Grade", "band", "grade", "parse", "typed"]
