"""The quiz screen: ask, store and explain one question at a time, then list what to read again."""

from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content

from tutor.base.errors import UsageError
from tutor.course.model import AskedQuestion, Question
from tutor.memory.project_choice import exercises_to_do
from tutor.memory.question_choice import to_ask
from tutor.memory.quiz_session import QuizSession, open_session, say_where_it_begins
from tutor.quiz import Grade
from tutor.ui.kit.core.screen import go_home
from tutor.ui.kit.dialogs.kernels import choose_kernel
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.press import Press
from tutor.ui.question.drafts import make_view
from tutor.ui.question.grading_on_machine import AnsweredScreen
from tutor.ui.question.question_view import QuestionView
from tutor.ui.question.sheet import QuestionSheet
from tutor.ui.quiz.result import QuizEnd, WrappedList


def count_squares(done: int, total: int) -> tuple[int, int]:
    """Return how many squares of a quiz's strip are filled, and how many empty: a square a question, of
    more than 16 a square for two."""
    each = 1 if total <= 16 else 2
    filled = done // each if done < total else -(-total // each)
    return filled, -(-total // each) - filled


class QuizScreen(AnsweredScreen):
    """Ask `questions` in order.

    Each answer is stored before its explanation is shown, so leaving the screen loses no answer. A quiz
    that is opened again continues at the first open question.
    """

    CSS_PATH = "screen.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("quiz")
    AUTO_FOCUS = None

    def __init__(
        self,
        questions: tuple[Question, ...],
        title: str,
        finished: Callable[[QuizSession], None] | None = None,
        retaken: bool = False,
    ) -> None:
        """Create the screen. It calls `finished` when the last answer is stored. `retaken`: the learner
        has seen the solutions, so that the answers change neither the schedule nor the score."""
        super().__init__()
        self._retaken = retaken
        self.quiz_title, self._finished = title, finished
        self.questions: tuple[AskedQuestion, ...] = ()
        self._templates = {question.id: question for question in questions}
        self.session: QuizSession
        self.revealed = False
        self._unstored: tuple[QuestionView.Answered, Grade] | None = None

    def compose(self) -> ComposeResult:
        yield Bar()
        yield QuestionSheet(id="sheet")
        yield Footer()

    async def on_mount(self) -> None:
        templates, record = tuple(self._templates.values()), self.tutor.record
        if self._retaken:
            self.session = QuizSession(tuple(to_ask(record, q) for q in templates))
        else:
            self.session = open_session(templates, record)
        self.questions = self.session.questions
        if said := say_where_it_begins(self.session):
            self.say(said)
        await self._ask()

    @property
    def sheet(self) -> VerticalScroll:
        return self.query_one("#sheet", VerticalScroll)

    async def _ask(self) -> None:
        """Show the first open question, or the end."""
        self.revealed = False
        question = self.session.current
        with self.app.batch_update():
            await self.sheet.remove_children()
            if question is None:
                await self._show_end()
            else:
                view = make_view(self.tutor.record, question, ask_confidence=not self._retaken)
                await self.sheet.mount(view)
                view.start()
            self.sheet.scroll_home(animate=False, immediate=True)
        self._show_bar()
        self.refresh_bindings()

    def _show_bar(self) -> None:
        done, total = len(self.session.results), len(self.questions)
        filled, empty = count_squares(done, total)
        place = f"{min(done + (not self.revealed), total)} of {total}  "
        self.query_one(Bar).show(
            Content.assemble((self.quiz_title, "bold")),
            Content.assemble(place, ("■" * filled, "$primary"), ("□" * empty, "dim")),
        )

    # ---- answering

    def keep(self, event: QuestionView.Answered, result: Grade) -> None:
        """Store the answer, then reveal it. If storing fails, show nothing; the next key retries."""
        question = event.question
        try:
            origin = "retry" if self._retaken else "quiz"
            self.tutor.record.activity.answer(event.given, result, origin)
        except UsageError as error:
            again = key_of(self, "quiz.next")
            event.view.say(f"Your answer is not stored yet. {again} tries again.")
            self.say(str(error), wrong=True)
            self._unstored = (event, result)
            return
        self._unstored = None
        self.session.add_answer(question, result.right, result.credit)
        if self._finished and self.session.current is None:
            self._finished(self.session)
        self.revealed = True
        if event.view.is_attached:
            event.view.reveal(result)
            self.sheet.mount(Press("Next", "next"))
            self.sheet.focus()
        self._show_bar()
        self.refresh_bindings()

    # ---- the end

    async def _show_end(self) -> None:
        end = QuizEnd(self, self.session, self._kernels, self._retaken)
        await self.sheet.mount(end)
        for choices in self.query(WrappedList):
            choices.focus(scroll_visible=False)  # the points above them stay in sight
            return
        self.sheet.focus()

    @property
    def _day(self) -> int:
        return self.questions[0].day

    @property
    def _kernels(self) -> bool:
        """True if the day has exercises."""
        course, record = self.tutor.course, self.tutor.record
        return bool(self.questions) and bool(exercises_to_do(course, record, self._day))

    @on(QuizEnd.Read)
    def read_again(self, event: QuizEnd.Read) -> None:
        """Open a page over the result, which lists more of them: leaving the page comes back to it."""
        event.stop()
        self.tutor.open(event.target)

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "next":
            return self.revealed or self._unstored is not None
        if action == "give_up":
            may = (view.may_give_up for view in self.query(QuestionView))
            return not self.revealed and any(may)
        if action == "again":
            return bool(self.query(QuizEnd) and self.session.wrong)
        if action == "kernels":
            return bool(self.query(QuizEnd)) and self._kernels
        if action == "home":
            return bool(self.query(QuizEnd))
        return True

    async def action_next(self) -> None:
        if self._unstored:
            self.keep(*self._unstored)
        elif self.revealed:
            await self._ask()

    async def action_again(self) -> None:
        """Ask the missed questions again, with other numbers, in another order of their options."""
        missed = [self._templates[question.id] for question in self.session.wrong]
        self.quiz_title = f"Misses · Day {missed[0].day}"
        self.questions = tuple(to_ask(self.tutor.record, question) for question in missed)
        self.session, self._retaken, self._finished = QuizSession(self.questions), True, None
        await self._ask()

    def action_kernels(self) -> None:
        choose_kernel(self, self._day)

    async def action_home(self) -> None:
        await go_home(self.app)

    def action_give_up(self) -> None:
        for view in self.query(QuestionView):
            view.give_up()

    def action_page(self, pages: int) -> None:
        movement.scroll_page(self.sheet, pages)

    def action_leave(self) -> None:
        self.put_away()
        self.app.pop_screen()
