"""Grade an answer to a question whose right answer depends on this machine."""

from functools import partial

from tutor.base.errors import CannotHere, UsageError
from tutor.memory.answers import GivenAnswer
from tutor.quiz import Grade
from tutor.ui.kit.core.screen import TutorScreen


def grade_on_machine(screen: TutorScreen, given: GivenAnswer) -> Grade:
    """Run the question's code and grade. Call it in a thread: a process may have to start.

    If the code cannot run, the screen shows the reason and the answer stays ungraded.
    """
    from tutor.judge.computed_answers import compute

    try:
        return given.grade(partial(compute, screen.tutor.judge))
    except (CannotHere, UsageError) as error:
        screen.app.call_from_thread(screen.say, str(error), wrong=True)
        return given.grade()
