"""The widgets of a section: its head, its blocks, the learner's note and, at the end, the ways on."""

from textual.widget import Widget
from textual.widgets import Static

from tutor.course.catalog.overview import DayOverview
from tutor.course.model import (
    AskedQuestion,
    Block,
    Cell,
    Drill,
    Lesson,
    Predict,
    Prose,
    Reveal,
    as_asked,
)
from tutor.memory.record import Record
from tutor.ui.cells.cell_view import CellView
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.widgets.markdown import MarkdownView
from tutor.ui.lesson import reader_tools
from tutor.ui.lesson.cells import LessonCells
from tutor.ui.lesson.day_end import DayEnd
from tutor.ui.lesson.model_answer import ModelAnswer, RevealView, say_noted, with_answers
from tutor.ui.lesson.note_view import NoteView
from tutor.ui.lesson.page import PageSection
from tutor.ui.lesson.prediction_view import FoldedText, PredictionView
from tutor.ui.lesson.reader_tools import SectionPlace
from tutor.ui.question.drafts import make_view


class SectionBuilder:
    """Makes the sections of `lesson` for `screen`, as `cells` and the record stand now."""

    def __init__(
        self, screen: TutorScreen, day: DayOverview, lesson: Lesson, cells: LessonCells
    ) -> None:
        self._screen, self._day, self._lesson, self._cells = screen, day, lesson, cells
        self._record: Record = screen.tutor.record
        self._told = told_by_text(lesson, cells.visit.gates)

    def section(self, index: int, ready: bool = False) -> PageSection:
        """Section `index` for the page; `ready`: its widgets are mounted, so none are made."""
        lesson = self._lesson
        section = lesson.sections[index]
        key = (self._lesson.day, index)
        if ready:
            return PageSection(key, (), 0, (), ())
        head: list[Widget] = []
        if index == 0 and lesson.objectives:
            goals = "\n".join(f"- {goal}" for goal in lesson.objectives)
            head.append(MarkdownView(f"**By the end you can**\n\n{goals}"))
        if section.title and section.title != lesson.title:
            head.append(Static(style_inline(section.title), classes="section-title", markup=False))
        tail: list[Widget] = [
            NoteView(reader_tools.note_at(self._record, SectionPlace(lesson, index)))
        ]
        if index == len(lesson.sections) - 1:
            tail.append(DayEnd(self._screen, lesson))
        elif said := self._day.sitting_end(index):
            tail.append(Static(said, classes="sitting-end", markup=False))
        head_rows = 2 + (2 * len(lesson.objectives) if index == 0 else 0)
        return PageSection(key, tuple(head), head_rows, section.blocks, tuple(tail))

    def build(self, block: Block) -> Widget:
        if isinstance(block, Prose):
            return self._text(block)
        if isinstance(block, Cell):
            view = CellView(block, len(self._lesson.cells), self._cells.visit.run_of(block))
            return with_answers(view, self._answers(block))
        visit = self._cells.visit
        if isinstance(block, Reveal):
            asked = as_asked(block.asked)
            section = next(s for s in self._lesson.sections if block in s.blocks)
            questions = [b.question for b in section.blocks if isinstance(b, Predict)]
            return RevealView(
                self._record,
                asked,
                lambda: visit.answered.get(asked.id),
                lambda: any(q.id not in visit.answered and not q.reveal for q in questions),
            )
        question = as_asked(block.question)
        if isinstance(block, Drill):
            return self._cells.drills.view(question)
        if said := visit.answered.get(question.id):
            if question.reveal:
                waits = say_noted(self._lesson, question)
                return PredictionView(question, said.value, None, None, waits)
            grade = visit.grades.get(question.id)
            if question.kind == "open" and isinstance(said.value, str):
                waits = "Compare it below the cell." if grade else "The cell below tells."
                return PredictionView(question, said.value, None, None, waits)
            return PredictionView(question, said.value, grade, said.right)
        later = bool(question.reveal) or visit.waits_in_words(question)
        return make_view(self._record, question, ask_confidence=False, compare_later=later)

    def _text(self, prose: Prose) -> Widget:
        """The text, folded while a prediction is open whose result it tells."""
        answered, told = self._cells.visit.answered, self._told.get(prose.line, ())

        def waits() -> bool:
            return any(question.id not in answered for question in told)

        def text() -> MarkdownView:
            return MarkdownView(prose.text, self._lesson.sources, self._lesson.path.parent)

        return FoldedText(text, waits) if waits() else text()

    def _answers(self, cell: Cell) -> list[ModelAnswer]:
        """The model answers to compare below a cell that has run."""
        visit = self._cells.visit
        waiting = visit.to_compare(cell)
        return [ModelAnswer(self._record, q, visit.answered[q.id].value) for q in waiting]


def told_by_text(
    lesson: Lesson, gates: dict[int, tuple[AskedQuestion, ...]]
) -> dict[int, tuple[AskedQuestion, ...]]:
    """The predictions whose results a text of the lesson may tell, by the text's line.

    They are those of the same section that the cells before the text settle, and those before it that no
    cell settles. A riddle has a section that solves it: it folds only what follows the cell that waits
    for it. `gates`: by index of a cell, 0 for none.
    """
    by_cell = {question.id for cell, asked in gates.items() if cell for question in asked}
    told: dict[int, tuple[AskedQuestion, ...]] = {}
    for section in lesson.sections:
        before: list[AskedQuestion] = []
        for block in section.blocks:
            if isinstance(block, Predict) and block.question.id not in by_cell:
                if not block.question.reveal:
                    before.append(as_asked(block.question))
            elif isinstance(block, Cell):
                before += gates.get(block.index, ())
            elif isinstance(block, Prose):
                told[block.line] = tuple(before)
    return told
