"""The model answer of a prediction in words, which the learner compares with what was written."""

from collections.abc import Callable
from typing import Any

from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from tutor.course.model import AskedQuestion, Lesson
from tutor.memory.record import Record
from tutor.quiz import Grade, grade
from tutor.ui.cells.cell_runs import Prediction
from tutor.ui.lesson.prediction_view import PredictionView
from tutor.ui.question.choice_fields import PointsField
from tutor.ui.question.drafts import TICKS, draft_of
from tutor.ui.question.explanation import markdown_widget
from tutor.ui.question.field import Field, Foot


class ModelAnswer(VerticalGroup):
    """A good answer. Where `text` was written and not compared yet, its points are there to tick."""

    class Compared(Message):
        """The learner has ticked the points that the written answer named."""

        def __init__(self, view: "ModelAnswer", value: dict[str, Any]) -> None:
            super().__init__()
            self.view, self.question, self.value = view, view.question, value

    DEFAULT_CSS = """
    ModelAnswer { margin: 1 0; padding: 0 0 0 1; border-left: thick $border; }
    ModelAnswer MarkdownView { padding: 0; }
    ModelAnswer Field { height: auto; }
    ModelAnswer ListField:focus > Row.-here { background: $block-cursor-background; }
    ModelAnswer Row { height: auto; width: 1fr; }
    ModelAnswer .paragraph { margin: 0 0 1 0; }
    """

    def __init__(self, record: Record, question: AskedQuestion, text: str = "") -> None:
        """`record` has the ticks of before that were not handed in."""
        super().__init__()
        self._record, self.question, self._text = record, question, text
        self.is_open = bool(text)  # while its points are to be ticked

    def start(self) -> None:
        """Focus the points."""
        for field in self.query(PointsField):
            field.start()

    def show_note(self) -> None:
        """Bring the line below the points into sight."""
        for foot in self.query(Foot):
            foot.scroll_visible(animate=False)

    def compose(self) -> ComposeResult:
        yield Static(Content.styled("A good answer", "bold"))
        yield markdown_widget(self.question.model)
        if self._text:
            field = PointsField(self.question, draft_of(self._record, self.question, TICKS))
            yield Static(Content.styled("Which of these points did you make?", "bold"))
            yield field
            yield Foot(field.help)
        elif self.question.explanation:
            yield markdown_widget(self.question.explanation)

    def on_field_handed_in(self, event: Field.HandedIn) -> None:
        event.stop()
        points = self.query_one(PointsField).value()
        self.post_message(self.Compared(self, {"text": self._text, "points": points}))

    def on_field_changed(self, event: Field.Changed) -> None:
        event.stop()

    def close(self) -> None:
        """The ticks are stored: lock them, and explain."""
        self.is_open = False
        self.query_one(PointsField).disabled = True
        self.query_one(Foot).display = False
        if self.question.explanation:
            self.mount(markdown_widget(self.question.explanation))


class RevealView(VerticalGroup):
    """The answer of an opening riddle, and what the learner had answered."""

    def __init__(
        self,
        record: Record,
        question: AskedQuestion,
        said: Callable[[], Prediction | None],
        waits: Callable[[], bool] = lambda: False,
    ) -> None:
        """`said` gives what is on record now: the page may be made before the riddle is answered. While
        `waits`, which is asked then too, predictions of the page are open that the answer would tell."""
        super().__init__()
        self._record = record
        self.question, self._said, self._open = question, said, waits

    def compose(self) -> ComposeResult:
        question, said = self.question, self._said()
        if self._open():
            words = "The answer comes once the predictions of this page are made."
            value = said.value if said else None
            yield PredictionView(question, value, None, None, words)
            return
        if question.kind == "open":
            text = said.value if said and isinstance(said.value, str) else ""
            yield PredictionView(question, said.value if said else None, None, None, _waits(said))
            yield ModelAnswer(self._record, question, text)
            return
        verdict: Grade = grade(question, said.value if said else None)
        yield PredictionView(question, said.value if said else None, verdict, None, _waits(said))


def _waits(said: Prediction | None) -> str:
    return "" if said else "You had not answered it yet."


def say_noted(lesson: Lesson, question: AskedQuestion) -> str:
    """Say where the answer of a riddle comes."""
    return f"Noted. The answer comes in “{lesson.title_of(question.reveal)}”."


def with_answers(view: Widget, answers: list[ModelAnswer]) -> Widget:
    """A cell's view, and below it the answers to compare now that the cell has run."""
    return VerticalGroup(view, *answers) if answers else view
