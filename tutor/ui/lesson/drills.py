"""The drills of a lesson: asked, judged and stored in place; a program may be tried again."""

from collections.abc import Iterator
from functools import partial

from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tutor.base.errors import UsageError
from tutor.course.model import AskedQuestion, Lesson, Question
from tutor.judge.computed_answers import compute
from tutor.memory.answers import GivenAnswer
from tutor.memory.question_choice import to_ask_in_lesson
from tutor.quiz import Grade, grade
from tutor.quiz.option_order import to_labels
from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.lesson.prediction_view import PredictionView
from tutor.ui.question.drafts import make_view
from tutor.ui.question.grading_on_machine import running_words
from tutor.ui.question.question_view import QuestionView

_STOPPED = "Stopped: nothing was judged."


class DrillView(VerticalGroup):
    """A drill under its heading: the question, or how it was answered."""

    def __init__(self, question: AskedQuestion, asked: Widget) -> None:
        super().__init__()
        self._question, self._asked = question, asked

    def compose(self) -> ComposeResult:
        minutes = self._question.minutes
        yield Static(
            Content.assemble(
                ("◆ Drill", "bold $accent"),
                (f"  about {minutes} minutes" if minutes else "", "$foreground 70%"),
            ),
            classes="drill-title",
        )
        yield self._asked


class LessonDrills:
    """The drills of the lesson on `screen`. One is judged at a time."""

    def __init__(self, screen: TutorScreen) -> None:
        self._screen = screen
        self._call: JudgeCall[Grade] = JudgeCall(screen, "The judge")
        self._judged: QuestionView | None = None
        self._day = 0
        self._drills: dict[str, Question] = {}  # by id, before their numbers are drawn

    def begin(self, lesson: Lesson) -> None:
        """Begin with the drills of a lesson as the course has it."""
        self._day = lesson.day
        self._drills = {drill.question.id: drill.question for drill in lesson.drills}

    def __contains__(self, question: AskedQuestion) -> bool:
        return question.id in self._drills

    @property
    def running(self) -> bool:
        return self._call.running

    def end(self) -> None:
        """Forget what is being judged. Its text is kept as a draft."""
        self._call.stop()
        self._judged = None

    def stop(self) -> None:
        """Stop judging; nothing is stored."""
        view = self._judged
        self.end()
        if view is not None and view.is_attached:
            view.ask_again(_STOPPED)

    def is_settled(self, question: AskedQuestion) -> bool:
        """Return True for a drill that was answered, so that it is shown with its explanation."""
        kept = self._screen.tutor.record.activity.last_answer(question.id)
        return question.kind != "code" and kept is not None

    def view(self, question: AskedQuestion) -> DrillView:
        """The drill as the record has it."""
        record = self._screen.tutor.record
        if question.kind == "code":
            last = record.activity.last_answer(question.id)
            asked = make_view(record, question, ask_confidence=False, in_lesson=True)
            if last:
                asked.show_answer(last.value, grade(question, last.value))
            return DrillView(question, asked)
        # A second try and a review are other answers: they leave the first one as it was.
        last = record.activity.last_answer(question.id, prefer="predict")
        if last is None:
            return DrillView(question, make_view(record, question, ask_confidence=False))
        question = to_ask_in_lesson(self._drills[question.id], last.params)
        value = to_labels(question, last.value)
        verdict = None if question.on_machine else grade(question, value)
        told = PredictionView(question, value, verdict, last.right, "", title="Your answer")
        return DrillView(question, told)

    # ---- answering

    def take_answer(self, event: QuestionView.Answered) -> None:
        """Grade and store an answer, then explain it."""
        view, given = event.view, event.given
        if not given.on_machine:
            self._settle(view, given, given.grade())
            return
        view.wait(running_words(given.question))
        self._judged = view
        judge = self._screen.tutor.judge

        def read() -> Iterator[Grade]:
            yield given.grade(partial(compute, judge))

        def take(grades: list[Grade]) -> None:
            self._judged = None
            self._settle(view, given, grades[-1])

        def end(trouble: str) -> None:
            if self._judged is view:
                self._judged = None
                view.ask_again(trouble or _STOPPED)

        self._call.start(Turn(read, take, end))

    def _settle(self, view: QuestionView, given: GivenAnswer, result: Grade) -> None:
        """Store the answer, then reveal it. What the judge cannot run here is no answer."""
        question, record = given.question, self._screen.tutor.record
        if question.kind == "code" and result.right is None:
            view.ask_again(result.feedback)
            return
        first = record.activity.last_answer(question.id) is None
        try:
            record.activity.answer(given, result, "predict" if first else "retry", self._day)
        except UsageError as error:
            self._screen.say(str(error), wrong=True)
            view.ask_again("Your answer is not stored. Submit it again.")
            return
        awaited = view.is_awaited  # else the learner reads or writes in another place by now
        view.reveal(result, follow=awaited)
        self._screen.refresh_bindings()  # it may be tried again from now on
        if not awaited:
            self._screen.say("The drill is judged: the verdict stands there.")
