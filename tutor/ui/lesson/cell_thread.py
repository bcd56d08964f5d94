"""Run one live cell through the judge, in a thread, and tell the screen what happens."""

from collections.abc import Callable
from time import monotonic

from textual.message import Message

from tutor.base.errors import CannotHere, UsageError
from tutor.course.model import Cell
from tutor.judge import live_cells
from tutor.judge.client import CellDone, CellOutput, Judge
from tutor.ui.cells.cell_runs import CellRun

_PAINT_EVERY = 0.05  # seconds: output is shown as it comes, but not each line by itself


class CellPrinted(Message):
    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        super().__init__()


class CellEnded(Message):
    def __init__(self, cell: Cell, done: CellDone) -> None:
        self.cell, self.done = cell, done
        super().__init__()


def run_cell(
    judge: Judge,
    session: str,
    cell: Cell,
    run: CellRun,
    evaluate: tuple[str, ...],
    before: tuple[str, ...],
    tell: Callable[[Message], object],
) -> None:
    """Blocks until the cell has ended. `before`: the code of the earlier cells of its mode.
    `run.output` takes what it prints; `tell` may be called from this thread. Always ends with one
    `CellEnded`."""
    painted = 0.0
    done = CellDone(ok=False, error="The cell's process ended without a word. Run it again.")
    seconds = live_cells.SLOW_SECONDS if cell.slow else live_cells.SECONDS
    try:
        for event in live_cells.run(
            judge, session, cell, before, evaluate=evaluate, seconds=seconds
        ):
            if isinstance(event, CellOutput):
                run.output.add(event.text)
                if monotonic() - painted >= _PAINT_EVERY:
                    tell(CellPrinted(cell))
                    painted = monotonic()
            elif isinstance(event, CellDone):
                done = event
    except (CannotHere, UsageError) as error:
        done = CellDone(ok=False, error=str(error))
    tell(CellEnded(cell, done))
