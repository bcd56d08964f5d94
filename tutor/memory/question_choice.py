"""Choose how a question is asked now: its numbers, the order of its options, its cell."""

from dataclasses import replace
from typing import TYPE_CHECKING

from tutor.course.code_context import context_of
from tutor.course.model import (
    AskedQuestion,
    Block,
    Cell,
    Drill,
    Lesson,
    Predict,
    Question,
    Reveal,
    Section,
)
from tutor.course.reading.variants import draw_variant, draw_with
from tutor.quiz.option_order import shuffle_options

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course
    from tutor.memory.record import Record


_SELF_CONTAINED = ("match", "order", "fill", "line", "code")  # these kinds show all there is


def to_ask(record: "Record", question: Question) -> AskedQuestion:
    """Return the question as it is asked now: at first, its first variant.

    The id of the newest answer selects the variant, so the numbers stay the same until the next answer;
    so does the order of the options.
    """
    if not (question.options or question.items or question.left):
        return _with_numbers(record, question)
    order = record.activity.times_answered(question.id)
    return shuffle_options(_with_numbers(record, question), order)


def _with_numbers(record: "Record", question: Question) -> AskedQuestion:
    last = record.activity.last_answer(question.id) if question.params else None
    if last is None:
        return draw_variant(question)
    asked = draw_variant(question, last.id)
    return draw_variant(question, last.id + 1) if asked.numbers == last.params else asked


def lesson_to_ask(lesson: Lesson) -> Lesson:
    """Return the lesson with its questions as they are asked there (`as_asked`)."""
    return replace(lesson, sections=tuple(map(_section_to_ask, lesson.sections)))


def to_ask_in_lesson(
    question: Question, numbers: dict[str, int | float] | None = None
) -> AskedQuestion:
    """Return a prediction or drill as its lesson asks it: in its first order, which stays the same
    there, and with the numbers that were stored with an answer, else its first ones."""
    asked = draw_with(question, numbers)
    prompt = f"{asked.prompt} {asked.aside}".rstrip()
    return shuffle_options(replace(asked, prompt=prompt), 0)


def _section_to_ask(section: Section) -> Section:
    return replace(section, blocks=tuple(map(_block_to_ask, section.blocks)))


def _block_to_ask(block: Block) -> Block:
    if isinstance(block, Predict | Drill):
        return replace(block, question=to_ask_in_lesson(block.question))
    if isinstance(block, Reveal):
        return replace(block, asked=shuffle_options(draw_variant(block.asked), 0))
    return block


def self_contained(course: "Course", question: Question) -> Question:
    """Return the question with everything that is needed to ask and compute it outside its lesson.

    This changes only a prediction that a cell of the lesson follows. If the cell answers it, that cell
    becomes its `code`, and the earlier cells of the same process become its `setup`; else the cell is
    part of its `context`. The lines that the cell uses come before it. Raises `UsageError` for a
    faulty lesson.
    """
    if question.code or question.reveal or question.kind in _SELF_CONTAINED:
        return question
    lesson = course.lesson(question.day)
    cell = answering_cell(lesson, question) if lesson else None
    if lesson is None or cell is None:
        return question
    earlier = [
        c.code
        for c in lesson.cells
        if c.index < cell.index and c.mode == cell.mode and not c.needs_gpu
    ]
    setup = "\n\n".join(earlier)
    context = context_of(cell.code, question.prompt, setup)
    if not question.answer_from:
        return replace(question, context="\n\n".join(filter(None, (context, cell.code))))
    return replace(
        question, code=cell.code, setup=setup, mode=cell.mode, xray=cell.xray, context=context
    )


def answering_cell(lesson: Lesson, question: Question) -> Cell | None:
    """Return the first cell after a prediction; None if none follows. One with a fixed answer has
    only the cells of its section."""
    fixed = not question.answer_from and not question.reveal
    waiting = False
    for section in lesson.sections:
        for block in section.blocks:
            if isinstance(block, Predict) and block.question.id == question.id:
                waiting = True
            elif isinstance(block, Cell) and waiting:
                return block
        if waiting and fixed:
            return None
    return None
