"""The inputs that an exercise is timed on, as the judge knows them."""

from collections.abc import Callable

from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.core.screen import TutorScreen

Inputs = tuple[str, ...]


class ExerciseInputs:
    """Asks the judge for `screen`. `take` gets the inputs, none if the judge has no answer."""

    def __init__(self, screen: TutorScreen, take: Callable[[Inputs], None]) -> None:
        self._screen, self._take = screen, take
        self._call: JudgeCall[Inputs] = JudgeCall(screen, "The judge")

    def find(self, exercise: str) -> None:
        judge = self._screen.tutor.judge
        found: Inputs = ()

        def take(inputs: list[Inputs]) -> None:
            nonlocal found
            found = inputs[-1]

        def end(trouble: str) -> None:
            if trouble:
                self._screen.say(trouble, wrong=True)
            self._take(found)

        self._call.start(Turn(lambda: [judge.inputs(exercise)], take, end))
