"""A prediction taken out of its lesson, so that a review can ask it: with the cell that tells."""

from dataclasses import replace
from typing import TYPE_CHECKING

from tutor.course.model import Cell, Lesson, Predict, Question

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course


def standing_alone(course: "Course", question: Question) -> Question:
    """The question with all it needs to be asked and computed by itself.

    Only a prediction whose answer the lesson's next cell tells is another one: that cell is its
    `code`, and the earlier cells of the same process are its `setup`. Raises `UsageError` for a
    faulty lesson.
    """
    if not question.answer_from or question.code:
        return question
    lesson = course.lesson(question.day)
    cell = told_by(lesson, question) if lesson else None
    if lesson is None or cell is None:
        return question
    earlier = [
        c.code
        for c in lesson.cells
        if c.index < cell.index and c.mode == cell.mode and not c.needs_gpu
    ]
    return replace(
        question, code=cell.code, setup="\n\n".join(earlier), mode=cell.mode, xray=cell.xray
    )


def told_by(lesson: Lesson, question: Question) -> Cell | None:
    """The first cell after a prediction; None where none follows."""
    waiting = False
    for section in lesson.sections:
        for block in section.blocks:
            if isinstance(block, Predict) and block.question.id == question.id:
                waiting = True
            elif isinstance(block, Cell) and waiting:
                return block
    return None
