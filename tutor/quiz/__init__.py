"""Parse and grade answers: from typed text to a value, from a value to a grade. Nothing here reads
files or the clock, or stores an answer (`tutor.memory`)."""

from tutor.course.model import band
from tutor.quiz.answer_parsing import format_answer, parse_answer
from tutor.quiz.grading import Grade, grade

__all__ = ["Grade", "band", "format_answer", "grade", "parse_answer"]
