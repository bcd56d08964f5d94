"""The inputs that a ladder begins with: those an exercise is timed on, or those of a cell's call."""

from collections.abc import Callable, Iterator

from tutor.ui.cells.ran_cells import Inputs, RanCells
from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.core.screen import TutorScreen


class DefaultInputs:
    """Asks the judge for `screen`. `take` gets the inputs, none if the judge has no answer."""

    def __init__(self, screen: TutorScreen, take: Callable[[Inputs], None]) -> None:
        self._screen, self._take = screen, take
        self._call: JudgeCall[Inputs] = JudgeCall(screen, "The judge")

    @property
    def asking(self) -> bool:
        return self._call.running

    def of_exercise(self, slug: str) -> None:
        judge = self._screen.tutor.judge
        self._ask(lambda: iter([judge.inputs(slug)]))

    def of_cells(self, ran: RanCells, name: str) -> None:
        judge = self._screen.tutor.judge
        self._ask(lambda: ran.inputs(judge, name))

    def _ask(self, read: Callable[[], Iterator[Inputs]]) -> None:
        newest: Inputs = ()

        def take(inputs: list[Inputs]) -> None:
            nonlocal newest
            newest = inputs[-1]

        def end(trouble: str) -> None:
            if trouble:
                self._screen.say(trouble, wrong=True)
            self._take(newest)

        self._call.start(Turn(read, take, end))

    def stop(self) -> None:
        self._call.stop()
