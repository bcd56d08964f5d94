"""A live cell on the page: its code, how it stands, and what it printed."""

from time import monotonic
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from tutor.course.model import Cell
from tutor.ui.cells.cell_output import clean_line
from tutor.ui.cells.cell_runs import CellRun, PredictionOutcome
from tutor.ui.cells.figure_view import FigureView
from tutor.ui.cells.stage_output import stage_content
from tutor.ui.kit.keys.key_labels import key_of, keymap_of, with_keys
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.safe_text import limit_text

# state -> (mark, colour, words): the mark and the words say it without the colour. Keys: `with_keys`.
_STATES = {
    "ready": ("▷", "$primary", "{lesson.run} runs it"),
    "waiting": ("◇", "$accent", "waits for your prediction"),
    "running": ("▶", "$accent", "running"),
    "ok": ("✓", "$success", "ran"),
    "kept": ("✓", "$success", "ran"),
    "failed": ("✗", "$error", "stopped"),
    "text": ("–", "$foreground 70%", "needs a CUDA GPU: only to read here"),
}


class CellView(Vertical, can_focus=True):
    """Enter asks for a run with `CellView.Run`; the lesson decides whether it may."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "ask", "run this cell", show=False, id="lesson.run_here")
    ]

    class Run(Message):
        def __init__(self, cell: Cell) -> None:
            self.cell = cell
            super().__init__()

    def __init__(self, cell: Cell, total: int, run: CellRun) -> None:
        super().__init__(classes=f"-{run.state}")
        self.cell, self._total, self._run = cell, total, run

    def compose(self) -> ComposeResult:
        yield Static(self._title(), classes="cell-title", markup=False)
        yield Static(
            highlight.colour_code(self.cell.code.rstrip("\n")), classes="cell-code", markup=False
        )
        result = self._result()
        output = Static(result, classes="cell-output", markup=False)
        output.display = bool(result)
        yield output
        figure = FigureView(self._run.figure, "cell-figure")
        figure.display = bool(self._run.figure)
        yield figure
        yield Static(outcomes(self._run), classes="cell-outcomes", markup=False)

    def show(self, run: CellRun) -> None:
        """Show how the cell stands now."""
        self._run = run
        self.set_classes(f"-{run.state}")
        parts = list(self.query(Static))
        if len(parts) < 5:  # not there yet, or on their way out
            return
        title, _, output, _, told = parts
        figure = self.query_one(FigureView)
        title.update(self._title())
        result = self._result()
        output.update(result)
        output.display = bool(result)
        figure.show(self._run.figure)
        figure.display = bool(self._run.figure)
        told.update(outcomes(self._run))

    def tick(self) -> None:
        """A second has passed in a running cell."""
        for title in self.query(".cell-title").results(Static):
            title.update(self._title())

    def keys_changed(self) -> None:
        self.tick()

    def show_output(self) -> None:
        """Bring what was printed into sight, then the figure and the outcomes below it."""
        for part in self.query(".cell-output, .cell-figure, .cell-outcomes"):
            if part.display:
                # At once: the next part is looked for from where this one left the page.
                part.scroll_visible(animate=False, immediate=True)

    def action_ask(self) -> None:
        self.post_message(self.Run(self.cell))

    def _result(self) -> Content:
        stage = self.cell.xray.stage if self.cell.xray else ""
        return result_of(self._run, stage, key_of(self, "lesson.ladder"))

    def _title(self) -> Content:
        run = self._run
        mark, colour, words = _STATES[run.state]
        if run.state == "running":
            how = "stopping …" if run.stopping else "{lesson.stop} stops it"
            words = f"running {monotonic() - run.started:.0f} s · {how}"
        elif run.section:
            words = f"{words} in section {run.section}"
        elif run.state in ("ok", "failed") and run.ms:
            words = f"{words} {format_time_taken(run)}"
        elif run.ended:
            words = f"ran on {run.ended:%-d %B, %H:%M}; {{lesson.run}} runs it again"
        elif run.state == "text" and run.note:
            words = "needs a CUDA GPU: a recorded run"
        compiled = self.cell.mode == "compile" and not self.cell.needs_gpu
        mode = " · compiled, not interpreted" if compiled else ""
        if look := self.cell.xray:
            mode = f" · shows its {look.stage} for {look.target}"
        elif self.cell.access:
            mode += " · draws an access map"
        elif self.cell.plot:
            mode += " · draws a plot"
        elif self.cell.drawing:
            mode += " · draws a figure"
        return Content.assemble(
            (f"{mark} ", colour),
            (f"cell {self.cell.index} of {self._total}", "bold"),
            (f" · {with_keys(words, keymap_of(self))}{mode}", "$foreground 70%"),
        )


def result_of(run: CellRun, stage: str = "", ladder_key: str = "") -> Content:
    """A note, what was printed, and the error that ended it. `stage`: the one that it printed, or ""."""
    parts: list[Content] = []
    if run.note:
        parts.append(Content.styled(run.note, "$foreground 70%"))
    if text := run.output.text():
        parts.append(stage_content(text, stage, ladder_key) if stage else Content(text))
    if run.error:
        parts.append(Content.styled(_trim_traceback(run.error), "$text-error"))
    return Content("\n").join(parts)


def outcomes(run: CellRun) -> Content:
    """A line for each prediction that the cell has settled."""
    return Content("\n").join(map(_outcome, run.outcomes))


def _outcome(outcome: PredictionOutcome) -> Content:
    said, answer = (limit_text(text).replace("`", "") for text in (outcome.said, outcome.answer))
    if "\n" in answer:  # an order, pairs or several options, all listed with the question
        return _point_to_answer(outcome)
    if outcome.right:
        return Content.assemble(("✓ You predicted ", "$success"), f"{said}, which is right.")
    if outcome.right is None:
        return Content.assemble(("– You left your prediction open. ", "bold"), f"It is {answer}.")
    mark, style, word = "✗", "$error", "it is"
    if outcome.credit:
        mark, style, word = "~", "$warning", "partly right: it is"
    return Content.assemble((f"{mark} You predicted ", style), f"{said}; {word} {answer}.")


def _point_to_answer(outcome: PredictionOutcome) -> Content:
    if outcome.right:
        return Content.styled("✓ Your prediction is right.", "$success")
    if outcome.right is None:
        said, style = "– You left your prediction open", "bold"
    elif outcome.credit:
        said, style = "~ Your prediction is partly right", "$warning"
    else:
        said, style = "✗ Your prediction is wrong", "$error"
    return Content.assemble((said, style), "; the answer stands above.")


def format_time_taken(run: CellRun) -> str:
    """How long it took: `in 12 ms`, or `after 12 ms` where it failed."""
    time = f"{run.ms:.0f} ms" if run.ms < 1000 else f"{run.ms / 1000:.1f} s"
    return f"in {time}" if run.state == "ok" else f"after {time}"


def _trim_traceback(error: str, lines: int = 24) -> str:
    """A traceback's head and tail: the line that failed and the message both stay."""
    rows = [clean_line(row) for row in error[-200_000:].rstrip("\n").split("\n")]
    if len(rows) > lines:
        left_out = f"… {len(rows) - lines} lines left out …"
        rows = [*rows[: lines // 3], left_out, *rows[-(lines - lines // 3) :]]
    return "\n".join(rows)
