"""Screens that take answers: each is graded, where this machine must run something in a thread."""

from functools import partial

from textual import on, work

from tutor.base.errors import CannotHere, UsageError
from tutor.course.model import AskedQuestion
from tutor.quiz import Grade
from tutor.ui.question.drafts import DraftingScreen
from tutor.ui.question.question_view import QuestionView


def running_words(question: AskedQuestion) -> str:
    """Return the line to show while the machine works on an answer."""
    code = question.kind == "code"
    return "The judge checks it …" if code else "Running the code on this machine …"


class AnsweredScreen(DraftingScreen):
    """A screen whose `QuestionView`s are answered: `keep` gets each answer with its grade."""

    def keep(self, event: QuestionView.Answered, result: Grade) -> None:
        """Store an answer, then reveal it."""
        raise NotImplementedError

    @on(QuestionView.Answered)
    def take_answer(self, event: QuestionView.Answered) -> None:
        event.stop()
        if event.given.on_machine:
            event.view.wait(running_words(event.question))
            self.refresh_bindings()
            self._compute(event)
        else:
            self.keep(event, event.given.grade())

    @work(thread=True, exclusive=True, group="compute", exit_on_error=False)
    def _compute(self, event: QuestionView.Answered) -> None:
        """Run the question's code or the learner's, and grade.

        If the code cannot run, the screen shows the reason and the answer stays ungraded.
        """
        from tutor.judge.computed_answers import compute

        try:
            result = event.given.grade(partial(compute, self.tutor.judge))
        except (CannotHere, UsageError) as error:
            self.app.call_from_thread(self.say, str(error), wrong=True)
            result = event.given.grade()
        self.app.call_from_thread(self.keep, event, result)
