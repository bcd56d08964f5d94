"""Checks of what a day refers to: its sources, the exercises it hands over, what its questions tell."""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from tutor.course.catalog.course import Course
from tutor.course.model import Lesson, Prose, Question
from tutor.course.reading.faults import CourseFault, Fault, format_value
from tutor.course.reading.locations import exercise_folders, quiz_files

_EXERCISE = re.compile(r"exercise\s+`([a-z][a-z0-9_]*)`")


def day_warnings(course: Course) -> Iterator[Fault]:
    """Find what a day says without a source, a reason or an exercise. A faulty file has none here."""
    slugs = {folder.name for folder in exercise_folders(course.root)}
    for lesson in course.sound_lessons():
        yield from _source_warnings(lesson)
        yield from _exercise_warnings(lesson, slugs)
        asked = [prediction.question for prediction in lesson.predictions]
        yield from _question_warnings(lesson.path, lesson.day, asked)
    for day, path in quiz_files(course.root).items():
        with suppress(CourseFault):
            if quiz := course.quiz(day):
                yield from _question_warnings(path, day, quiz.questions)
                for question in quiz.questions:
                    for field in ("source", "tags"):
                        if not getattr(question, field):
                            expected = "where it comes from" if field == "source" else "its topics"
                            yield _fault(path, question, field, expected)


def _source_warnings(lesson: Lesson) -> Iterator[Fault]:
    """Each source has a version and is cited."""
    text = "\n".join(block.text for block in _prose(lesson))
    for source in lesson.sources:
        if not source.version:
            yield Fault(
                lesson.path, 1, "sources", "a version of each source", format_value(source.id)
            )
        if f"[{source.id}]" not in text:
            expected = "each source cited where its fact stands"
            yield Fault(lesson.path, 1, "sources", expected, f"{source.id!r} nowhere")


def _exercise_warnings(lesson: Lesson, slugs: set[str]) -> Iterator[Fault]:
    for block in _prose(lesson):
        for match in _EXERCISE.finditer(block.text):
            if match[1] not in slugs:
                line = block.line + block.text.count("\n", 0, match.start())
                yield Fault(
                    lesson.path, line, "exercise", "one of the course", format_value(match[1])
                )


def _question_warnings(path: Path, day: int, asked: Iterable[Question]) -> Iterator[Fault]:
    """Each option has feedback, a line that tempts a reason, and an id its day."""
    for question in asked:
        if missing := sorted(set(question.options) - set(question.feedback)):
            yield _fault(path, question, "feedback", "a sentence for each option", missing[0])
        if question.kind == "line" and not question.tempting:
            yield _fault(path, question, "tempting", "why a wrong line tempts")
        if not re.match(rf"d0?{day}-", question.id):
            yield _fault(path, question, "id", f"an id that begins with d{day:02d}-", question.id)


def _fault(path: Path, question: Question, field: str, expected: str, what: str = "") -> Fault:
    return Fault(path, question.line, field, expected, what or f"none ({question.id})")


def _prose(lesson: Lesson) -> Iterator[Prose]:
    for section in lesson.sections:
        yield from (block for block in section.blocks if isinstance(block, Prose))
