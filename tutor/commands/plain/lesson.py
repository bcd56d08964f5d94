"""A lesson in plain lines that waits for the learner: cells run, predictions and drills are asked, and
what was read is in the record, as on the lesson's screen."""

import re
from collections.abc import Callable
from functools import partial
from textwrap import indent
from typing import Any

import click

from tutor.base.errors import CannotHere, UsageError
from tutor.commands.plain.day_end import say_day_end
from tutor.commands.plain.question import (
    Taken,
    ask_question,
    ask_until_right,
    be_lenient,
    compare_with_model,
    read_line,
    reveal_earlier,
    settle,
    take_answer,
)
from tutor.course.catalog.course import Course
from tutor.course.catalog.plain_text import (
    cell_lines,
    format_recording,
    list_sources,
    prose_lines,
    question_lines,
)
from tutor.course.drawing import Bars, Grid, drawing_words
from tutor.course.gantt import Gantt, gantt_words
from tutor.course.model import AskedQuestion, Cell, Drill, Lesson, Predict, Reveal, as_asked
from tutor.course.plot import CellPlot, plot_words
from tutor.course.recordings import find_recorded_runs
from tutor.judge import live_cells
from tutor.judge.client import CellDone, CellFigure, CellOutput, Judge
from tutor.judge.computed_answers import compute
from tutor.judge.model.events import AccessFigure, Figure
from tutor.judge.reports import access_figure
from tutor.memory.course_sync import enter_lesson
from tutor.memory.placement import take_back
from tutor.memory.question_choice import answering_cell, lesson_to_ask
from tutor.memory.record import Record

_LINES, _MOST = 200, 1 << 18  # of a cell's output: lines and characters that are shown
_SEQUENCE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b.?")  # colours and their like


def go_through(
    lesson: Lesson, course: Course, record: Record, first: int, judge: Judge, *, again: bool = False
) -> int:
    """Section by section from `first` (from 0). A section is read when the learner goes on from its
    end. `again`: predictions that are settled are asked once more; the first answer stays. Returns the
    exit status: 0, or 130 after ctrl+c."""
    be_lenient()
    take_back(record, lesson.day)
    count = len(lesson.sections)
    click.echo(f"Day {lesson.day}: {lesson.title}. {count} sections. ctrl+d stops.")
    if first:
        click.echo(f"It goes on at section {first + 1}; --section 1 begins again.")
    try:
        steps = _Steps(lesson, record, judge, again)
        day = next(day for day in course.overview().days if day.day == lesson.day)
        for index in range(first, count):
            record.activity.set_position(lesson.day, index)
            steps.section(index)
            if said := day.sitting_end(index):
                click.echo(f"\n{said}")
            read_line(f"\nEnter {'goes on' if index + 1 < count else 'ends'}: ")
            record.activity.section_read(lesson.day, index)
    except (EOFError, KeyboardInterrupt) as error:
        click.echo("\nStopped. What was read and answered is kept.")
        return 130 if isinstance(error, KeyboardInterrupt) else 0
    if record.activity.read_sections(lesson.day) >= set(range(count)):
        enter_lesson(record, course, lesson.day)
    click.echo("\n".join(list_sources(lesson)))
    say_day_end(lesson, course, record)
    return 0


class _Steps:
    """The parts of a lesson, one after the other. Its cells of one mode share their names."""

    def __init__(self, lesson: Lesson, record: Record, judge: Judge, again: bool) -> None:
        self._again, self._retried = again, set[str]()  # ids of questions that are asked once more
        self._lesson, self._record, self._judge = lesson_to_ask(lesson), record, judge
        self._asked: dict[int, list[AskedQuestion]] = {}  # by the cell that tells
        self._to_compare: dict[int, list[AskedQuestion]] = {}  # answers in words, by their cell
        self._defined: set[int] = set()  # cells whose names the session holds
        self._has_gpu = judge.may_have_gpu
        self._recorded = {} if self._has_gpu else find_recorded_runs(lesson)

    def section(self, index: int) -> None:
        section = self._lesson.sections[index]
        click.echo(f"\n\nSection {index + 1} of {len(self._lesson.sections)}: {section.title}")
        for block in section.blocks:
            click.echo()
            if isinstance(block, Cell):
                click.echo("\n".join([*cell_lines(block), ""]))
                self._cell(block)
            elif isinstance(block, Predict):
                self._predict(as_asked(block.question))
            elif isinstance(block, Drill):
                self._drill(as_asked(block.question))
            elif isinstance(block, Reveal):
                reveal_earlier(as_asked(block.asked), self._record)
            else:
                click.echo("\n".join(prose_lines(block.text, sources=self._lesson.sources)))

    def _predict(self, question: AskedQuestion) -> None:
        """Ask a prediction. The text between it and its cell belongs to the question."""
        last = self._record.activity.last_answer(question.id)
        cell = answering_cell(self._lesson, question)
        settled = bool(last and (last.right is not None or not question.answer_from))
        if settled and self._again:
            self._retried.add(question.id)
        if last and settled and not self._again:
            click.echo("\n".join([*question_lines("Predict", question), "", "Answered before."]))
            if cell and self._in_words(question) and isinstance(last.value, str):
                self._to_compare.setdefault(cell.index, []).append(question)
        elif cell and self._runs(cell) and not question.reveal:
            click.echo(f"A prediction: it is asked below, before cell {cell.index} runs.")
            self._asked.setdefault(cell.index, []).append(question)
        else:
            click.echo("A prediction:")
            self._ask(question)

    def _drill(self, question: AskedQuestion) -> None:
        """Ask a drill until it is right or given up; not again where it was."""
        last = self._record.activity.last_answer(question.id)
        if last and (last.right or last.value is None or question.kind != "code"):
            click.echo("\n".join([*question_lines("Drill", question), "", "Answered before."]))
            return
        click.echo("A drill:")
        find = partial(compute, self._judge)
        if question.kind == "code":
            ask_until_right(question, self._record, find, "retry" if last else "predict")
        elif leaving := ask_question(question, self._record, find, "predict").leaving:
            raise leaving

    def _in_words(self, question: AskedQuestion) -> bool:
        return question.kind == "open" and not question.reveal

    def _ask(self, question: AskedQuestion) -> None:
        """Ask a prediction that no cell here answers, or one whose answer comes later."""
        later = self._later(question)
        if leaving := ask_question(
            question, self._record, lambda *_: None, self._origin(question), later=later
        ).leaving:
            raise leaving

    def _ask_before_cell(
        self, asked: list[AskedQuestion], find: Callable[[AskedQuestion, Any], Any]
    ) -> None:
        """Ask the predictions of a cell. All are answered before the first answer is shown: the cell
        that tells one may tell another. What was answered is kept where the learner stops."""
        taken: list[Taken] = []
        stopped: BaseException | None = None
        for question in asked:
            click.echo("The prediction:" if len(asked) == 1 else "A prediction:")
            try:
                taken.append(take_answer(question, later=self._later(question)))
            except (EOFError, KeyboardInterrupt) as error:
                stopped = error
                break
            click.echo()
            if stopped := taken[-1].leaving:
                break
        for origin in ("predict", "retry"):
            mine = [one for one in taken if self._origin(one.given.question) == origin]
            settle(mine, self._record, find, origin)
        if stopped:
            raise stopped

    def _origin(self, question: AskedQuestion) -> str:
        return "retry" if question.id in self._retried else "predict"

    def _later(self, question: AskedQuestion) -> str:
        """The text in place of the answer, if any. One in words is compared after its cell."""
        cell, later = answering_cell(self._lesson, question), ""
        if question.reveal:
            later = f"Noted. The answer comes in “{self._lesson.title_of(question.reveal)}”."
        elif cell and self._in_words(question) and self._runs(cell):
            later = f"Noted. Cell {cell.index} tells."
            self._to_compare.setdefault(cell.index, []).append(question)
        return later

    def _compare(self, cell: Cell) -> None:
        for question in self._to_compare.pop(cell.index, []):
            last = self._record.activity.last_answer(question.id)
            if last and isinstance(last.value, str):
                compare_with_model(question, last.value, self._record, self._origin(question))
            else:
                click.echo(f"The answer: {question.model}\n{question.explanation}".rstrip())

    def _runs(self, cell: Cell) -> bool:
        return self._has_gpu or not cell.needs_gpu

    def _cell(self, cell: Cell) -> None:
        """Run a cell after its prediction; without a prediction, if the learner wishes."""
        asked = self._asked.pop(cell.index, [])
        wanted = tuple(q.answer_from for q in asked if q.answer_from)
        done: list[CellDone] = []

        def find(question: AskedQuestion, value: Any) -> Any:
            if question.answer_from and not done:
                done.append(self._run(cell, wanted))
            return done[0].values.get(question.answer_from) if done else None

        if not self._runs(cell):
            click.echo("It needs a CUDA GPU, and this machine has none.")
            click.echo("\n".join(format_recording(self._recorded.get(cell.index))))
        elif asked:
            self._ask_before_cell(asked, find)
            click.echo()
            if not done:  # the answer did not need the cell
                self._run(cell, ())
        elif read_line("Enter runs it, s goes on without: ").lower() != "s":
            self._run(cell, ())
        self._compare(cell)

    def _run(self, cell: Cell, wanted: tuple[str, ...]) -> CellDone:
        """Run it, and first the cells it may need that have not run; show what it prints."""
        earlier = [
            c
            for c in self._lesson.cells
            if c.index < cell.index and c.mode == cell.mode and self._runs(c)
        ]
        missing = [c for c in earlier if c.index not in self._defined]
        if missing:
            names = "cell " if len(missing) == 1 else "cells "
            names += ", ".join(str(c.index) for c in missing)
            click.echo(f"It runs {names} first: this cell uses their variables.")
        done = CellDone(ok=False, error="no answer")
        for next_cell in [*missing, cell]:
            before = [c.code for c in earlier if c.index < next_cell.index]
            printed, figure, done = self._result(
                next_cell, before, wanted if next_cell is cell else ()
            )
            self._record.activity.cell_run(self._lesson.day, next_cell.index, done.ok)
            if next_cell is cell or not done.ok:
                click.echo(f"Cell {next_cell.index} {'printed' if done.ok else 'stopped'}:")
                click.echo(_fit(f"{printed.rstrip()}\n{done.error}".strip("\n") or "nothing"))
                click.echo(
                    _fit("\n".join(describe_figure(figure))) if figure else "", nl=bool(figure)
                )
            if not done.ok:
                break
            self._defined.add(next_cell.index)
        if done.lost:
            self._defined.clear()
        return done

    def _result(
        self, cell: Cell, before: list[str], wanted: tuple[str, ...]
    ) -> tuple[str, Figure, CellDone]:
        text, done = "", CellDone(ok=False, error="no answer")
        figure: Figure = ""
        seconds = live_cells.SLOW_SECONDS if cell.slow else live_cells.SECONDS
        session = f"lesson {self._lesson.day}"
        try:
            for event in live_cells.run_live_cell(
                self._judge, session, cell, before, evaluate=wanted, seconds=seconds
            ):
                if isinstance(event, CellDone):
                    done = event
                elif isinstance(event, CellFigure):
                    figure = event.figure
                elif isinstance(event, CellOutput) and len(text) < _MOST:
                    text += event.text
        except (CannotHere, UsageError) as error:
            done = CellDone(ok=False, error=str(error))
        return text, figure, done


def _fit(text: str) -> str:
    """Remove control codes, and lines beyond what can be read."""
    lines = _SEQUENCE.sub("", text[:_MOST]).expandtabs(8).split("\n")
    kept = ["".join(c if c.isprintable() else "?" for c in line) for line in lines[:_LINES]]
    if len(lines) > _LINES:
        kept.append(f"{len(lines) - _LINES} more lines, not shown")
    return indent("\n".join(kept), "    ")


def describe_figure(figure: Figure) -> list[str]:
    """Return the lines for a figure; a sentence that stands for one stays as it is."""
    if isinstance(figure, CellPlot):
        return plot_words(figure)
    if isinstance(figure, Bars | Grid):
        return drawing_words(figure)
    if isinstance(figure, Gantt):
        return gantt_words(figure)
    if isinstance(figure, AccessFigure):
        return [f"Access map of {figure.about}.", *access_figure.describe_launches(figure.launches)]
    return [figure]
