"""All texts of a course that a search can find, as plain text with their places.

Solutions, hints and the answers of predictions are left out, because the learner must find them. An
explanation is a separate passage, so that it can be hidden until its question was answered.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

from tutor.base.errors import UsageError
from tutor.course.catalog.plain_text import prose_lines
from tutor.course.model import Block, Cell, Drill, Predict, Prose, Question
from tutor.course.reading.locations import exercise_folders, lesson_files, map_files, quiz_files
from tutor.course.reading.variants import draw_variant
from tutor.search.results import LINE, PART, Passage

if TYPE_CHECKING:
    from tutor.course.catalog.course import Course

T = TypeVar("T")


def passages(course: "Course") -> Iterator[Passage]:
    """Yield all passages in the course's order. A faulty file is left out: `tutor list` and home
    report it."""
    for day in lesson_files(course.root):
        yield from _lesson(course, day)
    for day in quiz_files(course.root):
        quiz = _readable(lambda day=day: course.quiz(day))  # type: ignore[misc]
        for question in quiz.questions if quiz else ():
            yield from _question(question)
    for folder in exercise_folders(course.root):
        if exercise := _readable(lambda name=folder.name: course.exercise(name)):  # type: ignore[misc]
            task = to_plain_line(exercise.task)
            # Names that the task does not say itself: an excerpt would else begin with each twice.
            names = [name for name in (exercise.slug, exercise.entry) if name not in task]
            words = " ".join((*names, task))
            yield Passage("exercise", exercise.slug, exercise.day, exercise.title, words)
    for term in _readable(course.glossary) or ():
        yield Passage(
            "term", term.id, next(iter(term.days), 0), term.term, to_plain_line(term.says)
        )
    for phase in map_files(course.root):
        chart = _readable(lambda phase=phase: course.concept_map(phase))  # type: ignore[misc]
        for node in chart.nodes if chart else ():
            place = f"{phase}/{node.id}"
            yield Passage("idea", place, node.days[0], node.title, to_plain_line(node.text))


def _readable(read: Callable[[], T]) -> T | None:
    try:
        return read()
    except UsageError:
        return None


def _lesson(course: "Course", day: int) -> Iterator[Passage]:
    lesson = _readable(lambda: course.lesson(day))
    for section in lesson.sections if lesson else ():
        text = _join(part for block in section.blocks for part in _parts(block))
        yield Passage("lesson", f"{day}/{section.slug}", day, section.title, text)
        for block in section.blocks:
            if isinstance(block, Predict | Drill):
                yield from _question(block.question)


def _parts(block: Block) -> Iterator[tuple[bool, str]]:
    """Yield the texts of a block, and of each whether it is code or a diagram."""
    if isinstance(block, Cell):
        yield True, block.code
    elif isinstance(block, Prose):
        yield from _parts_of_prose(block.text)


def _parts_of_prose(markdown: str) -> Iterator[tuple[bool, str]]:
    lines = prose_lines(markdown)
    for filled, group in groupby(lines, key=lambda line: bool(line.strip())):
        if filled:
            part = list(group)
            code = all(line.startswith("    ") for line in part)
            yield code, "\n".join(part) if code else _join_words("\n".join(part))


def _join(parts: Iterable[tuple[bool, str]]) -> str:
    """Return the parts as the text of a passage."""
    texts = []
    for code, group in groupby(parts, key=itemgetter(0)):
        if code:
            for _, part in group:
                lines = [line.strip() for line in part.split("\n")]
                texts.append(LINE.join(filter(None, lines)))
        else:
            texts.append(" ".join(text for _, text in group))
    return PART.join(filter(None, texts))


def _question(question: Question) -> Iterator[Passage]:
    """Yield a question's text and its explanation."""
    day = next(iter(question.days), question.day)
    asked = draw_variant(question)  # one variant, if the question has drawn values
    shown = ((True, asked.code), (True, asked.text))
    words = _join((*_parts_of_prose(asked.prompt), *shown))
    yield Passage("question", question.id, day, "", words)
    yield Passage("explanation", question.id, day, "", to_plain_line(asked.explanation))


def to_plain_line(markdown: str) -> str:
    """Return Markdown as one line of words, without the backticks around code."""
    return _join_words("\n".join(prose_lines(markdown)))


def _join_words(text: str) -> str:
    return " ".join(text.replace("`", "").split())
