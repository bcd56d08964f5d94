"""What is taught: lessons, quizzes and exercises, read from files into frozen records."""

from tutor.course.catalog.course import Course, open_course

__all__ = ["Course", "open_course"]
