"""The state of a lesson's cells and predictions since it was opened. No screen in here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from tutor.course.model import AskedQuestion, Cell, Lesson, Predict, Section, as_asked
from tutor.course.recordings import RecordedRun, find_recorded_runs
from tutor.judge.model.events import Figure
from tutor.memory.kept_runs import KeptRun
from tutor.ui.cells.cell_output import Output

if TYPE_CHECKING:
    from tutor.quiz import Grade


@dataclass(frozen=True)
class Prediction:
    """A learner's answer before the cell that settles it. `right` is known of an earlier visit."""

    value: Any
    confidence: int | None = None
    seconds: float = 0.0
    right: bool | None = None


@dataclass(frozen=True)
class PredictionOutcome:
    """How a prediction turned out. `right` is None where the learner left it open."""

    said: str
    right: bool | None
    credit: float
    answer: str


@dataclass
class CellRun:
    """How a cell stands. `state`: "ready", "waiting" (for a prediction), "running", "ok", "failed",
    "kept" (it ran on an earlier visit, which ended at `ended`), or "text" (a GPU cell on a machine
    without one). `ms` is what the run took; `outcomes` are those of the predictions that it settled.
    `section` is the number of that of the prediction it waits for, 0 if it is the cell's own."""

    state: str = "ready"
    output: Output = field(default_factory=Output)
    error: str = ""
    note: str = ""
    ms: float = 0.0
    started: float = field(default_factory=monotonic)
    stopping: bool = False  # asked to; its process may still be starting
    figure: Figure = ""
    outcomes: tuple[PredictionOutcome, ...] = ()
    ended: datetime | None = None
    section: int = 0


class Visit:
    """The cells that ran, the names they left behind, and the predictions still open.

    `answered` holds the predictions on record, by question id; `grades` those already explained;
    `kept` the runs of earlier visits, by index of the cell.
    """

    def __init__(
        self,
        lesson: Lesson,
        answered: dict[str, Prediction],
        *,
        has_gpu: bool,
        kept: Mapping[int, KeptRun] | None = None,
    ) -> None:
        self.lesson, self.answered, self._has_gpu = lesson, answered, has_gpu
        self.gates = gates(lesson)
        self._recorded = {} if has_gpu else find_recorded_runs(lesson)
        self.grades: dict[str, Grade] = {}
        # A prediction that is new to the course hides what its cell printed before.
        known = kept or {}
        shown = (c for c in lesson.cells if c.index in known and not self.open_gate(c))
        self._runs = {cell.index: _restore_kept(cell, known[cell.index]) for cell in shown}
        self._defined: set[int] = set()  # cells whose names the session holds

    def run_of(self, cell: Cell) -> CellRun:
        """How the cell stands now."""
        if cell.needs_gpu and not self._has_gpu:
            return _restore_run(self._recorded.get(cell.index))
        if cell.index in self._runs:
            return self._runs[cell.index]
        question = self.open_gate(cell)
        if question is None:
            return CellRun()
        number, section = self.find_section(question)
        own = any(block is cell for block in section.blocks)
        return CellRun("waiting", section=0 if own else number)

    def find_section(self, question: AskedQuestion) -> tuple[int, Section]:
        """Return number and section of the lesson that ask a prediction."""
        return next(
            (number, section)
            for number, section in enumerate(self.lesson.sections, 1)
            for block in section.blocks
            if isinstance(block, Predict) and block.question.id == question.id
        )

    def open_gate(self, cell: Cell) -> AskedQuestion | None:
        """The first unanswered prediction that stands before this cell."""
        asked = self.gates.get(cell.index, ())
        return next((question for question in asked if question.id not in self.answered), None)

    def to_reveal(self, cell: Cell) -> tuple[AskedQuestion, ...]:
        """The predictions that a run of this cell settles."""
        asked = self.gates.get(cell.index, ())
        open_ones = (q for q in asked if q.id in self.answered and q.id not in self.grades)
        return tuple(q for q in open_ones if not q.reveal)

    def to_compute(self, cell: Cell) -> tuple[str, ...]:
        """The expressions that tell the answers of this cell's predictions, once all are made."""
        if self.open_gate(cell):
            return ()
        asked = self.gates.get(cell.index, ())
        return tuple(q.answer_from for q in asked if q.answer_from and not q.reveal)

    def to_compare(self, cell: Cell) -> tuple[AskedQuestion, ...]:
        """The predictions in words that this cell has settled, and that nobody has compared yet."""
        asked = self.gates.get(cell.index, ())
        settled = (q for q in asked if q.kind == "open" and q.id in self.grades)
        return tuple(q for q in settled if isinstance(self.answered[q.id].value, str))

    def waits_in_words(self, question: AskedQuestion) -> bool:
        """Return True for a prediction in words whose cell runs before it is compared."""
        return question.kind == "open" and self.settling_cell(question) is not None

    def settling_cell(self, question: AskedQuestion) -> Cell | None:
        """Return the cell that settles a prediction; None if none follows or it cannot run here."""
        for cell in self.lesson.cells:
            if question in self.gates.get(cell.index, ()):
                return None if self.run_of(cell).state == "text" else cell
        return None

    def to_run(self, cell: Cell) -> tuple[Cell, ...]:
        """`cell` and before it the earlier cells it may need: those of the same process (cells of
        another `mode` share no names with it) that have not run yet."""
        before = (
            c
            for c in self.lesson.cells
            if c.index < cell.index
            and c.mode == cell.mode
            and c.index not in self._defined
            and self.run_of(c).state != "text"
        )
        return (*before, cell)

    def before(self, cell: Cell) -> tuple[Cell, ...]:
        """The earlier cells whose names `cell` shares, on any machine."""
        earlier = (c for c in self.lesson.cells if c.index < cell.index and c.mode == cell.mode)
        return tuple(c for c in earlier if self.run_of(c).state != "text")

    def start(self, cell: Cell, note: str = "") -> CellRun:
        """A run begins. An earlier cell whose prediction is open keeps waiting: its output, which
        would give the answer away, is not shown."""
        run = CellRun("running", note=note)
        if not self.open_gate(cell):
            before = self._runs.get(cell.index)
            run.outcomes = before.outcomes if before else ()
            self._runs[cell.index] = run
        return run

    def end(self, cell: Cell, run: CellRun, *, ok: bool, error: str, ms: float, lost: bool) -> None:
        """A run has ended. `lost` says the session's process is gone, and with it every name."""
        run.state, run.error, run.ms = ("ok" if ok else "failed"), error, ms
        if lost:
            self._defined = {i for i in self._defined if self._mode(i) != cell.mode}
        elif ok:
            self._defined.add(cell.index)

    def _mode(self, index: int) -> str:
        return next(c.mode for c in self.lesson.cells if c.index == index)


def _restore_run(known: RecordedRun | None) -> CellRun:
    """Return the state of a GPU cell on a machine without one: text, or a recorded run."""
    if known is None:
        return CellRun("text")
    run = CellRun("text", note=known.marked, figure=known.plot)
    run.output.add(known.printed)
    return run


def _restore_kept(cell: Cell, kept: KeptRun) -> CellRun:
    """Return the state of a cell that ran on an earlier visit. Its figure is not kept."""
    draws = cell.access or cell.plot or cell.drawing
    drawn = "Its figure is drawn again when it runs." if draws else ""
    run = CellRun("kept", ms=kept.ms, ended=kept.at, note=drawn)
    run.output.add(kept.printed)
    return run


def gates(lesson: Lesson) -> dict[int, tuple[AskedQuestion, ...]]:
    """Cell index -> the predictions that stand between the cell before it and it. Under 0 are those
    that no cell settles: those after the last cell, and those with a fixed answer after the last
    cell of their section. Nothing waits for them."""
    by_cell: dict[int, tuple[AskedQuestion, ...]] = {}
    waiting: list[AskedQuestion] = []
    told_at_once: list[AskedQuestion] = []
    for section in lesson.sections:
        for block in section.blocks:
            if isinstance(block, Predict):
                waiting.append(as_asked(block.question))
            elif isinstance(block, Cell) and waiting:
                by_cell[block.index] = tuple(waiting)
                waiting = []
        told_at_once += (q for q in waiting if not q.answer_from and not q.reveal)
        waiting = [q for q in waiting if q.answer_from or q.reveal]
    if without_cell := (*told_at_once, *waiting):
        by_cell[0] = without_cell
    return by_cell
