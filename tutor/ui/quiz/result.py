"""The end of a quiz: what was missed, where to read it, when it returns, and the ways on."""

from collections.abc import Iterator
from itertools import takewhile

from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalGroup, VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tutor.base.number_text import plural
from tutor.course.catalog.course import Course
from tutor.course.model import Question
from tutor.memory.course_sync import page_of
from tutor.memory.day_summary import predict_return
from tutor.memory.quiz_session import QuizSession
from tutor.quiz import band
from tutor.quiz.numbers import show_points
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.keys import movement
from tutor.ui.kit.keys.key_labels import key_of
from tutor.ui.kit.text.inline_markdown import style_inline
from tutor.ui.kit.text.phrases import hang_after_mark
from tutor.ui.kit.text.safe_text import limit_text, make_visible
from tutor.ui.kit.widgets.press import Press

_READ, _MISSED = Content.styled("→ ", "$primary"), Content.styled("✗ ", "bold $error")
_PARTLY = Content.styled("~ ", "bold $warning")


class WrappedList(OptionList):
    """A list on a sheet, each row a mark and a text. A wrapped line is aligned with the first.

    The list is as tall as its rows, so the sheet around it scrolls: to the row in focus, and with the
    last row to what stands below the list.
    """

    DEFAULT_CSS = """
    WrappedList { height: auto; max-height: 9999; }
    """

    def __init__(self, rows: list[tuple[Content, Content]], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(markup=False, id=id)
        self._rows = rows

    def on_resize(self) -> None:
        self.show(self._rows, self.highlighted or 0)

    def show(self, rows: list[tuple[Content, Content]], here: int) -> None:
        """Show these rows, with the cursor on row `here`."""
        self._rows = rows
        width = self.scrollable_content_region.width - 2
        self.clear_options().add_options(Option(hang_after_mark(*row, width)) for row in rows)
        self.highlighted = here

    def scroll_to_highlight(self, top: bool = False) -> None:
        super().scroll_to_highlight(top)
        if self.highlighted is None or not self.has_focus:
            return
        if self.highlighted == 0:
            self._sheet.scroll_home(animate=False)
        elif self.highlighted == self.option_count - 1:
            self._sheet.scroll_end(animate=False)
        else:
            heights = [str(option.prompt).count("\n") + 1 for option in self.options]
            above, here = sum(heights[: self.highlighted]), heights[self.highlighted]
            around = takewhile(lambda node: node is not self._sheet, self.ancestors_with_self)
            top_line = above + sum(n.virtual_region.y for n in around if isinstance(n, Widget))
            self._sheet.scroll_to_region(Region(0, top_line, 1, here), animate=False, force=True)

    def action_page_up(self) -> None:
        movement.scroll_page(self._sheet, -1)

    def action_page_down(self) -> None:
        movement.scroll_page(self._sheet, 1)

    @property
    def _sheet(self) -> VerticalScroll:
        return next(node for node in self.ancestors if isinstance(node, VerticalScroll))


class QuizEnd(VerticalGroup):
    """The result of `session`. Posts `Read` with the place that the learner wants to read again."""

    class Read(Message):
        """`target` names a lesson, or a section of one."""

        def __init__(self, target: str) -> None:
            super().__init__()
            self.target = target

    DEFAULT_CSS = """
    QuizEnd { max-width: 96; }
    QuizEnd > Static { height: auto; }
    QuizEnd .paragraph { margin: 1 0 0 0; }
    """

    def __init__(
        self, screen: TutorScreen, session: QuizSession, kernels: bool, retaken: bool
    ) -> None:
        """`kernels`: the day has exercises; `retaken`: the questions were asked again just now."""
        super().__init__()
        self._screen, self._session = screen, session
        self._kernels, self._retaken = kernels, retaken
        self._targets: list[str] = []

    def compose(self) -> ComposeResult:
        session, course = self._session, self._screen.tutor.course
        day = session.questions[0].day if session.questions else 0
        quiz = course.quiz(day) if day and not self._retaken else None
        reached = band(quiz, session.score, session.out_of) if quiz else None
        name, advice = (reached.name, reached.advice) if reached else ("", "")
        yield Static(quiz_summary(session, name, advice), markup=False)
        if self._retaken:
            words = "Asked again for practice: the quiz keeps its points."
            yield Static(Content.styled(words, "dim"), classes="paragraph")
        rows: list[tuple[Content, Content]] = []
        for again in reached.revisit if reached else ():
            rows.append((_READ, Content.assemble(f"Read again: {_title(course, again)}")))
            self._targets.append(f"lesson:{again}")
        for question in session.wrong:
            place, target = _place(course, question)
            prompt = style_inline(limit_text(question.prompt.strip().split("\n\n")[0], lines=2))
            mark = _PARTLY if session.results[question.id][1] > 0 else _MISSED
            rows.append((mark, Content.assemble(prompt, (f"  {place}", "$foreground 70%"))))
            self._targets.append(target)
        if rows:
            words = "Enter or a click opens the page to read again"
            yield Static(Content.styled(words, "dim"), classes="paragraph")
            yield WrappedList(rows)
        if session.wrong and not self._retaken:
            record = self._screen.tutor.record
            words = predict_return(record, session.wrong)
            yield Static(words, classes="paragraph", markup=False)
        yield Static(classes="paragraph")
        for action_id, action, words in self._ways():
            yield Press(f"{key_of(self._screen, action_id)} · {words}", action)

    def _ways(self) -> Iterator[tuple[str, str, str]]:
        if self._session.wrong:
            count = len(self._session.wrong)
            yield "quiz.again", "again", f"{plural(count, 'missed question')} again"
        if self._kernels:
            yield "quiz.kernels", "kernels", "the day's exercises"
        yield "quiz.leave", "leave", "back to where you came from"
        yield "quiz.home", "home", "home"

    @on(OptionList.OptionSelected)
    def read_chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Read(self._targets[event.option_index]))

    def keys_changed(self) -> None:
        self._targets.clear()
        self.refresh(recompose=True)


def quiz_summary(session: QuizSession, name: str, advice: str) -> Content:
    """The points, the band of a checkpoint, and what could not be graded."""
    if not session.results:
        return Content("Nothing to answer here.")
    words = f"{show_points(session.score, session.out_of)} points"
    lines = [Content.assemble((words, "bold"), f"   {name}" if name else ""), style_inline(advice)]
    if not session.wrong:
        lines.append(Content.styled("✓ Nothing was wrong.", "$success"))
    if session.ungraded:
        words = f"{session.ungraded} could not be graded on this machine."
        lines.append(Content.styled(words, "$warning"))
    return Content("\n").join(line for line in lines if line)


def _place(course: Course, question: Question) -> tuple[str, str]:
    """The page that teaches a question, in words and as a target."""
    day, slug, title = page_of(course, question)
    return f"Day {day}, {make_visible(title)}" if title else f"Day {day}", f"lesson:{day}/{slug}"


def _title(course: Course, day: int) -> str:
    titles = {day.day: day.title for day in course.days}
    return f"Day {day} · {make_visible(titles.get(day, ''))}"
