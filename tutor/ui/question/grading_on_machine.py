"""Grade an answer to a question for which this machine must run something."""

from functools import partial

from tutor.base.errors import CannotHere, UsageError
from tutor.course.model import AskedQuestion
from tutor.memory.answers import GivenAnswer
from tutor.quiz import Grade
from tutor.ui.kit.core.screen import TutorScreen


def running_words(question: AskedQuestion) -> str:
    """Return the line to show while the machine works on an answer."""
    code = question.kind == "code"
    return "The judge checks it …" if code else "Running the code on this machine …"


def grade_on_machine(screen: TutorScreen, given: GivenAnswer) -> Grade:
    """Run the question's code or the learner's, and grade. A process may have to start: call it in a
    thread.

    If the code cannot run, the screen shows the reason and the answer stays ungraded.
    """
    from tutor.judge.computed_answers import compute

    try:
        return given.grade(partial(compute, screen.tutor.judge))
    except (CannotHere, UsageError) as error:
        screen.app.call_from_thread(screen.say, str(error), wrong=True)
        return given.grade()
