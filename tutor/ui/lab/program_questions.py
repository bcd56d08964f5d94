"""Questions about the learner's own right program: "say what yours does".

They are computed by the judge when the screen opens. Each answer is stored before it is explained, and
a wrong one leads to the place where the right one is to be seen.
"""

from collections.abc import Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tutor.base.errors import UsageError
from tutor.judge.computed_questions import compute_questions
from tutor.judge.questions.program_question import ProgramQuestion, StagePlace
from tutor.memory.first_pass import say_after_questions
from tutor.quiz import Grade
from tutor.ui.kit.core.judge_call import JudgeCall, Turn
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.keys.key_labels import key_of, key_while_typing
from tutor.ui.kit.keys.key_text import Named
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.kit.widgets.press import Press
from tutor.ui.question.drafts import make_view
from tutor.ui.question.grading_on_machine import AnsweredScreen
from tutor.ui.question.question_view import QuestionView
from tutor.ui.question.sheet import QuestionSheet
from tutor.xray.model.subject import Subject

FREE = "Leaving them out costs nothing this once."
COUNTED = "Left out, they count as not known."


class ProgramQuestionsScreen(AnsweredScreen):
    """Ask about the text `source` of the file `filename`, a right answer to the exercise `slug`.

    `stage`: "computing", "asking", "shown" (an answer is explained), "end", or "trouble"."""

    CSS_PATH = "program_questions.tcss"
    BINDINGS = bindings("says")
    AUTO_FOCUS = None

    def __init__(self, slug: str, source: str, filename: str) -> None:
        super().__init__()
        self.slug, self.source, self.filename = slug, source, filename
        self.stage = "computing"
        self.asked: Sequence[ProgramQuestion] = ()
        self.at = 0  # of `asked`
        self.right = 0
        self._unstored: tuple[QuestionView.Answered, Grade] | None = None
        call: JudgeCall[Sequence[ProgramQuestion]] = JudgeCall(self, "The judge")
        self._call = call

    def compose(self) -> ComposeResult:
        yield Bar()
        with QuestionSheet(id="sheet"):
            yield Static("Running it in the interpreter, and compiling it …", classes="said")
        yield Footer()

    def on_mount(self) -> None:
        tutor = self.tutor
        exercise = tutor.course.exercise(self.slug)
        compute = partial(
            compute_questions,
            tutor.judge,
            tutor.record,
            exercise,
            self.source,
            self.filename,
            tutor.config.target,
        )
        self._show_bar()
        self._call.start(Turn(lambda: [compute()], self._take, self._end_call))

    def on_unmount(self) -> None:
        self._call.stop()

    def _take(self, computed: list[Sequence[ProgramQuestion]]) -> None:
        self.asked = computed[0]
        self.run_worker(self._ask(), exit_on_error=True)

    def _end_call(self, trouble: str) -> None:
        if trouble or not self.asked:
            self.stage = "trouble"
            said = trouble or "There is nothing that could be asked about this program."
            self.query_one(".said", Static).update(limit_text(said, lines=5))
            self.refresh_bindings()

    # ---- asking

    @property
    def sheet(self) -> VerticalScroll:
        return self.query_one("#sheet", VerticalScroll)

    @property
    def current(self) -> ProgramQuestion | None:
        return self.asked[self.at] if self.at < len(self.asked) else None

    async def _ask(self) -> None:
        """Show the next question, or the end."""
        with self.app.batch_update():
            await self.sheet.remove_children()
            if self.current is None:
                self.stage = "end"
                await self.sheet.mount(
                    Static(self._conclude()), Press("Back to the exercise", "next")
                )
                self.sheet.focus()
            else:
                self.stage = "asking"
                view = make_view(self.tutor.record, self.current.question, ask_confidence=False)
                await self.sheet.mount(view, Named(self._describe_leaving))
                view.start()
            self.sheet.scroll_home(animate=False, immediate=True)
        self._show_bar()
        self.app.call_later(self.refresh_bindings)

    def _describe_leaving(self) -> Content:
        free = self.tutor.record.program_answers.may_leave_out(self.slug)
        key = key_while_typing("says.leave_out", self.tutor.keymap)
        return Content.styled(f"{key} leaves them out. {FREE if free else COUNTED}", "dim")

    def _show_bar(self) -> None:
        total = len(self.asked)
        place = f"{min(self.at + 1, total)} of {total}" if total else ""
        self.query_one(Bar).show(
            Content.assemble((self.slug, "bold"), " · say what yours does"), place
        )

    def _conclude(self) -> Content:
        total = len(self.asked)
        said = say_after_questions(self.tutor.record, self.slug, self.right, total)
        return Content.styled(said, "bold $success" if self.right == total else "bold $warning")

    # ---- answering

    def keep(self, event: QuestionView.Answered, result: Grade) -> None:
        """Store the answer, then reveal it. If storing fails, show nothing; the next key retries."""
        try:
            self.tutor.record.program_answers.keep(event.given, result, self.slug)
        except UsageError as error:
            again = key_of(self, "says.next")
            event.view.say(f"Your answer is not stored yet. {again} tries again.")
            self.say(str(error), wrong=True)
            self._unstored = (event, result)
            return
        self._unstored = None
        self.stage = "shown"
        self.right += result.right is True
        if event.view.is_attached:
            event.view.reveal(result)
            self.query(Named).remove()
            if result.right is not True:
                self.sheet.mount(Press(self._see_words(), "see"))
            self.sheet.mount(Press("Next", "next"))
            self.sheet.focus()
        self.refresh_bindings()

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "next":
            return self.stage in ("shown", "end") or self._unstored is not None
        if action == "give_up":
            return any(view.may_give_up for view in self.query(QuestionView))
        if action == "see":
            return self.stage == "shown"
        if action == "leave_out":
            return self.stage == "asking"
        return True

    async def action_next(self) -> None:
        if self._unstored:
            self.keep(*self._unstored)
        elif self.stage == "shown":
            self.at += 1
            await self._ask()
        elif self.stage == "end":
            self.app.pop_screen()

    def _see_words(self) -> str:
        stage = self.current and isinstance(self.current.place, StagePlace)
        return f"See it in the {'ladder' if stage else 'access map'}"

    def action_give_up(self) -> None:
        for view in self.query(QuestionView):
            view.give_up()

    def action_see(self) -> None:
        """Open the access map at the program that the question was about, or the ladder at its stage."""
        place = self.current.place if self.current else None
        if isinstance(place, StagePlace):
            exercise, target = self.tutor.course.exercise(self.slug), self.tutor.config.target
            subject = Subject(
                self.filename,
                self.source,
                exercise.entry_name,
                target=target,
                opens=(place.stage, place.line),
            )
            self.tutor.open("ladder", subject, self.slug, None, lambda: self.source)
        elif place:
            self.tutor.open(
                "access",
                self.slug,
                self.source,
                self.filename,
                place.case,
                None,
                place.program,
                place.launch,
                place.step,
            )

    def action_leave_out(self) -> None:
        """Go on without the questions that are left."""
        left = [each.question for each in self.asked[self.at :]]
        answers = self.tutor.record.program_answers
        free = answers.may_leave_out(self.slug)
        try:
            answers.leave_out(self.slug, left)
        except UsageError as error:
            self.say(str(error), wrong=True)
            return
        self.app.pop_screen()
        self.app.notify("Left out, this once." if free else "Left out: counted as not known.")

    def action_page(self, pages: int) -> None:
        movement.scroll_page(self.sheet, pages)

    def action_leave(self) -> None:
        self.put_away()
        self.app.pop_screen()
