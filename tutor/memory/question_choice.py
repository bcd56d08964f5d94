"""Choose how a question is asked now: its numbers, the order of its options, its cell."""

from dataclasses import replace
from typing import TYPE_CHECKING

from tutor.course.code_context import context_of
from tutor.course.model import Block, Cell, Drill, Lesson, Predict, Question, Reveal, Section
from tutor.course.reading.variants import values_of, variant, variants
from tutor.quiz.option_order import shuffled

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course
    from tutor.memory.record import Record


_SELF_CONTAINED = ("match", "order", "fill", "line", "code")  # these kinds show all there is


def to_ask(record: "Record", question: Question) -> Question:
    """Return the question as it is asked now: at first, its first variant.

    The id of the newest answer selects the variant, so the numbers stay the same until the next answer;
    so does the order of the options.
    """
    if not (question.options or question.items or question.left):
        return _with_numbers(record, question)
    order = record.activity.times_answered(question.id)
    return shuffled(_with_numbers(record, question), order)


def lesson_to_ask(lesson: Lesson) -> Lesson:
    """The lesson with its predictions and drills in their first order, which stays the same there."""
    return replace(lesson, sections=tuple(map(_section_to_ask, lesson.sections)))


def _section_to_ask(section: Section) -> Section:
    return replace(section, blocks=tuple(map(_block_to_ask, section.blocks)))


def _block_to_ask(block: Block) -> Block:
    if isinstance(block, Predict | Drill):
        question = block.question
        prompt = f"{question.prompt} {question.aside}".rstrip()
        return replace(block, question=shuffled(replace(question, prompt=prompt), 0))
    return replace(block, asked=shuffled(block.asked, 0)) if isinstance(block, Reveal) else block


def _with_numbers(record: "Record", question: Question) -> Question:
    if not question.params:
        return question
    last = record.activity.last_answer(question.id)
    if last is None:
        return variant(question, 0)
    asked = variant(question, last.id)
    return variant(question, last.id + 1) if values_of(asked) == last.params else asked


def as_answered(question: Question, values: dict[str, int | float] | None) -> Question:
    """Return the question with the numbers that were stored with an answer.

    It has its first numbers where no variant has these, as after a change of the course.
    """
    same = (each for each in variants(question) if values_of(each) == values)
    return next(same, None) or variant(question, 0)


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
    """Return the first cell after a prediction; None if none follows."""
    waiting = False
    for section in lesson.sections:
        for block in section.blocks:
            if isinstance(block, Predict) and block.question.id == question.id:
                waiting = True
            elif isinstance(block, Cell) and waiting:
                return block
    return None
