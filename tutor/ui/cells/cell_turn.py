"""A cell's run as a turn of the judge: its output is shown as it comes, and the run always ends."""

from collections.abc import Callable, Iterable, Iterator

from tutor.judge.client import CellDone, CellEvent, CellFigure, CellOutput
from tutor.ui.cells.cell_runs import CellRun
from tutor.ui.kit.core.judge_call import JudgeCall, Turn, cancel_judge
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.core.services import Services

_PAINT_EVERY = 0.05  # seconds between two drawings of what a cell prints

CellCall = JudgeCall[CellDone | None]


def cell_call(screen: TutorScreen, cancel: Callable[[Services], None] = cancel_judge) -> CellCall:
    """A call that runs one cell at a time."""
    return JudgeCall(screen, "The cell", cancel, _PAINT_EVERY)


def cell_turn(
    run: CellRun,
    events: Callable[[], Iterable[CellEvent]],
    paint: Callable[[], None],
    end: Callable[[CellDone], None],
) -> Turn[CellDone | None]:
    """A turn that reads `events`: `run.output` takes what is printed, `paint` shows it, and `end`
    gets how the cell ended."""
    done = CellDone(ok=False, error="The cell's process ended without a word. Run it again.")

    def read() -> Iterator[CellDone | None]:
        for event in events():
            if isinstance(event, CellOutput):
                run.output.add(event.text)  # bounded here: a cell can print without end
            elif isinstance(event, CellFigure):
                run.figure = event.figure
            yield event if isinstance(event, CellDone) else None

    def take(batch: list[CellDone | None]) -> None:
        nonlocal done
        done = next((event for event in batch if event), done)
        paint()

    def finish(trouble: str) -> None:
        end(CellDone(ok=False, error=trouble) if trouble else done)

    return Turn(read, take, finish)
