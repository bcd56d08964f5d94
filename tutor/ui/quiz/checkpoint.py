"""The checkpoint screen: its four parts in order, the meaning of the score, and its change."""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static

from tutor.base.day_text import say_not_written
from tutor.base.errors import UsageError
from tutor.base.number_text import plural
from tutor.course.catalog.overview import find_written_neighbour, list_unwritten_between
from tutor.course.model import Question, Quiz
from tutor.course.reading.locations import lesson_files
from tutor.memory.checkpoint_evidence import proofs
from tutor.memory.course_sync import section_of
from tutor.memory.quiz_session import QuizSession, open_session
from tutor.quiz import band
from tutor.quiz.numbers import show_points
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.safe_text import make_visible
from tutor.ui.kit.widgets.footer import Footer
from tutor.ui.kit.widgets.header import Bar
from tutor.ui.quiz.checklist import ChecklistScreen
from tutor.ui.quiz.misconceptions import MisconceptionsScreen
from tutor.ui.quiz.reflection import ReflectionScreen
from tutor.ui.quiz.result import WrappedList
from tutor.ui.quiz.screen import QuizScreen

_QUIET = "$foreground 70%"


class CheckpointScreen(TutorScreen):
    """Offers a checkpoint's parts and shows the result of those that are done."""

    CSS_PATH = "checkpoint.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings("checkpoint")
    AUTO_FOCUS = ""

    def __init__(self, quiz: Quiz) -> None:
        super().__init__()
        self.quiz = quiz
        self._rows: list[Callable[[], None]] = []

    def compose(self) -> ComposeResult:
        yield Bar()
        with VerticalScroll(id="sheet", can_focus=False):
            yield Static(id="result", markup=False)
            yield WrappedList([], id="parts")
            yield Static(id="history", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        self.query_one(WrappedList).focus(scroll_visible=False)  # the result stands above it

    def on_screen_resume(self) -> None:
        """Update the page from the record when it opens or a part has closed."""
        taken = self.tutor.record.checkpoints.list_taken(self.quiz.day)
        times = f"taken {plural(len(taken), 'time')}" if taken else "not taken yet"
        self.query_one(Bar).show(
            f"Checkpoint · {make_visible(self.quiz.title)}",
            f"Day {self.quiz.day} · {times}",
        )
        self.query_one("#result", Static).update(self._result())
        self.query_one("#history", Static).update(self._history())
        self._fill()

    # ---- what is shown

    def _fill(self) -> None:
        """Show the four parts and the days to read again, and mark the first open part."""
        rows: list[tuple[Content, Content]] = []
        self._rows = []
        first_open: int | None = None
        for number, (name, words, done, action) in enumerate(self._parts(), 1):
            sign = ("■", "$success") if done else ("□", "$primary")
            if not done and first_open is None:
                first_open = len(rows)
            mark = Content.assemble(sign, f" {number}  ", (name.ljust(26), "bold"))
            rows.append((mark, Content.styled(words, _QUIET)))
            self._rows.append(action)
        on = self._next_day() if first_open is None else []
        to_come = [(day, why, f"lesson:{day}") for day, why in on]
        for day, why, target in to_come + self._to_read():
            mark = Content.assemble(("→    ", "$primary"), f"Day {day}  ")
            rows.append((mark, Content.styled(why, _QUIET)))
            self._rows.append(partial(self.tutor.open, target))
        parts = self.query_one(WrappedList)
        here = parts.highlighted
        parts.show(rows, first_open or 0 if here is None else min(here, len(rows) - 1))

    def _parts(self) -> list[tuple[str, str, bool, Callable[[], None]]]:
        quiz, record = self.quiz, self.tutor.record
        taken = record.checkpoints.list_taken(quiz.day)
        words = plural(len(quiz.questions), "question")
        if answered := len(open_session(quiz.questions, record).results):
            words = f"{answered} of {words} answered"
        elif taken:
            last = taken[-1]
            words = f"{show_points(last.score, last.out_of)} points on {last.at:%-d %B}"
        parts = [("Questions", words, bool(taken), self._ask)]
        if quiz.checklist:
            ticks = record.checkpoints.ticks(quiz.day)
            ticked = sum(ticks.get(item.id, False) for item in quiz.checklist)
            backed = sum(
                all(proof.done for proof in proofs(item, self.tutor.course, record))
                for item in quiz.checklist
            )
            words = f"{ticked} of {len(quiz.checklist)} ticked, {backed} shown by your work"
            parts.append(("I can …", words, ticked == len(quiz.checklist), self._check))
        if quiz.misconceptions:
            said = {row.item for row in record.checkpoints.misconceptions(quiz.day)}
            answered = sum(item.id in said for item in quiz.misconceptions)
            words = f"{answered} of {len(quiz.misconceptions)} answered"
            all_said = answered == len(quiz.misconceptions)
            parts.append(("True or not, and why", words, all_said, self._judge))
        if quiz.reflection:
            written = {row.prompt for row in record.checkpoints.reflections(quiz.day)}
            done = sum(prompt.id in written for prompt in quiz.reflection.prompts)
            words = f"{done} of {len(quiz.reflection.prompts)} written"
            name = f"{quiz.reflection.minutes} minutes of writing"
            parts.append((name, words, done == len(quiz.reflection.prompts), self._reflect))
        return parts

    def _result(self) -> Content:
        """The band of the newest score with its advice, or a preview before the first; the focus."""
        taken = self.tutor.record.checkpoints.list_taken(self.quiz.day)
        if taken:
            last = taken[-1]
            score = f"{show_points(last.score, last.out_of)} points   "
            lines = [Content.assemble((score, "bold"), make_visible(last.band))]
            if reached := band(self.quiz, last.score, round(last.out_of)):
                lines.append(style_inline(reached.advice))
        else:
            words = (
                "Close your notes. Questions first, then what you can do, then common misconceptions, "
                "then you write. Leave at any time: everything is kept."
            )
            lines = [Content(words)]
        if focus := self.tutor.record.settings.focus():
            topic = make_visible(focus.replace("-", " "))
            lines.append(
                Content.assemble(
                    ("Focus  ", "$primary"), topic, (" comes first in reviews.", "dim")
                )
            )
        return Content("\n").join(lines)

    def _to_read(self) -> list[tuple[int, str, str]]:
        """The days that the band names, then in the order of the course those of wrong answers and of
        items without evidence, each with its reason and the page that it opens: of a wrong answer the
        section that teaches it. A question may also cite days after the checkpoint: not for now."""
        record, course, reasons = self.tutor.record, self.tutor.course, dict[int, str]()
        missed: dict[int, Question] = {}  # by the day that it is a reason for
        taken = record.checkpoints.list_taken(self.quiz.day)
        if not taken:
            return []
        reached = band(self.quiz, taken[-1].score, round(taken[-1].out_of))
        for day in reached.revisit if reached else ():
            reasons.setdefault(day, "read again")
        for question in self.quiz.questions:
            answer = record.activity.last_answer(question.id)
            if answer is not None and answer.credit < 1 and answer.right is not None:
                for day in question.days:
                    if day < self.quiz.day and day not in reasons:
                        reasons[day], missed[day] = "a question you missed", question
        for item in self.quiz.checklist:
            if not all(proof.done for proof in proofs(item, course, record)):
                reasons.setdefault(
                    item.days[0], f"not shown by your work yet: {make_visible(item.text)}"
                )
        titles = {day.day: day.title for day in course.days}
        named = reached.revisit if reached else ()
        order = sorted(reasons, key=lambda day: (day not in named, day))

        def target(day: int) -> str:
            slug = section_of(course, missed[day], day) if day in missed else ""
            return f"lesson:{day}/{slug}" if slug else f"lesson:{day}"

        return [
            (day, f"{titles[day]} · {reasons[day]}", target(day)) for day in order if day in titles
        ]

    def _next_day(self) -> list[tuple[int, str]]:
        """The next day that is written, to open once all parts are done."""
        after = self.quiz.day + 1
        if after in lesson_files(self.tutor.course.root):  # a faulty one shows its mistakes
            days = self.tutor.course.days
            return [(d.day, f"{d.title} · the next day") for d in days if d.day == after]
        overview = self.tutor.course.overview().days
        following = find_written_neighbour(overview, self.quiz.day)
        if following is None:
            return []
        missing = say_not_written(list_unwritten_between(overview, self.quiz.day, following.day))
        return [(following.day, f"{following.title} · the next day that is written. {missing}")]

    def _history(self) -> Content:
        taken = self.tutor.record.checkpoints.list_taken(self.quiz.day)
        if len(taken) < 2:
            return Content("")
        rows, before = [], None
        for row in taken[-6:]:
            share = row.score / row.out_of if row.out_of else 0.0
            grown = "" if before is None else f"{100 * (share - before):+.0f} %"
            bar = "■" * round(20 * share) + "□" * (20 - round(20 * share))
            rows.append(
                Content.assemble(
                    (f"{row.at:%-d %b}  ".rjust(8), "$foreground 70%"),
                    (bar, "$primary"),
                    f"  {show_points(row.score, row.out_of)}  {row.band}  ",
                    (grown, "$success" if grown.startswith("+") else "$warning"),
                )
            )
            before = share
        return Content("\n").join([Content.styled("How it grew", "bold"), *rows])

    # ---- the parts

    def _ask(self) -> None:
        self.app.push_screen(QuizScreen(self.quiz.questions, self.quiz.title, self._store_score))

    def _store_score(self, session: QuizSession) -> None:
        """Store the score as soon as the last answer is stored."""
        reached = band(self.quiz, session.score, session.out_of)
        try:
            self.tutor.record.checkpoints.add(
                self.quiz.day, session.score, session.out_of, reached.name if reached else ""
            )
        except UsageError as error:
            self.say(str(error), wrong=True)

    def _check(self) -> None:
        self.app.push_screen(ChecklistScreen(self.quiz))

    def _judge(self) -> None:
        self.app.push_screen(MisconceptionsScreen(self.quiz))

    def _reflect(self) -> None:
        assert self.quiz.reflection is not None
        self.app.push_screen(ReflectionScreen(self.quiz.day, self.quiz.reflection))

    # ---- keys

    @on(OptionList.OptionSelected)
    def open_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._rows[event.option_index]()

    def action_open(self) -> None:
        self.query_one(OptionList).action_select()

    def action_part(self, number: int) -> None:
        """Open a part by its number."""
        if number <= len(self._parts()):
            self.query_one(OptionList).highlighted = number - 1
            self._rows[number - 1]()

    def action_cursor(self, step: int) -> None:
        parts = self.query_one(OptionList)
        parts.action_cursor_down() if step > 0 else parts.action_cursor_up()

    def action_ideas(self) -> None:
        phase = next((d.phase for d in self.tutor.course.days if d.day == self.quiz.day), 1)
        self.tutor.open(f"ideas:{phase}/ask")  # a checkpoint asks first

    def action_written(self) -> None:
        self.tutor.open("written")
