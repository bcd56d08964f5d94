"""A prediction that was already made: what was asked, what the learner said, how it turned out. And the
text that tells the result of one that is still to be made."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.containers import VerticalGroup
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tutor.course.model import AskedQuestion
from tutor.quiz.answer_text import answer_in_words
from tutor.ui.kit.text import highlight
from tutor.ui.kit.text.inline_markdown import style_code, style_inline
from tutor.ui.kit.text.safe_text import limit_text
from tutor.ui.kit.text.whole_code import WholeCode

if TYPE_CHECKING:
    from tutor.quiz import Grade


_LINES = 9  # of an answer; the longest match has eight
# What stands before an answer of several lines, by the question's kind.
_OF_LINES = {"order": "The right order", "match": "The right pairs", "line": "The right lines"}


class PredictionView(Static):
    """`right` is what the record knows where the grade itself is gone."""

    def __init__(
        self,
        question: AskedQuestion,
        value: Any,
        grade: "Grade | None",
        right: bool | None,
        waits: str = "The cell below tells.",
        title: str = "Your prediction",
    ) -> None:
        """`waits`: what is shown in place of a grade."""
        super().__init__(markup=False)
        self._waits, self._title = waits, title
        self.question, self._value, self._right = question, value, right
        self._grade = grade

    def on_mount(self) -> None:
        self.reveal(self._grade)

    def reveal(self, grade: "Grade | None") -> None:
        """Show the prediction, and its grade once there is one."""
        right = grade.right if grade else self._right
        said = say_answer(self.question, self._value)
        lines = [
            Content.assemble(
                (f"◆ {self._title}  ", "bold $accent"), style_inline(self.question.prompt)
            ),
        ]
        if self.question.shown_code and self.question.kind != "code":
            lines.append(highlight.colour_code(self.question.shown_code))
        if self._value is not None:
            words = style_code(said) if self.question.options else said
            lines.append(Content.assemble(("You said ", "$foreground 70%"), words))
        elif right is not None or not self._waits:
            lines.append(Content.styled("You did not know.", "$foreground 70%"))
        if right is not None:
            lines.append(
                Content.assemble(
                    self._mark(grade, right), _right_answer(self.question, grade, right)
                )
            )
            if feedback := _feedback(grade, said):
                lines.append(style_inline(feedback))
        elif grade is None and self._waits:
            lines.append(Content.styled(self._waits, "$foreground 70%"))
        elif grade and grade.answer:
            lines.append(_good_answer(grade))
        explanation = self.question.explanation if right is not None else ""
        if why := grade.explanation if grade else explanation:
            lines.append(style_inline(why))
        self.update(WholeCode(Content("\n").join(lines)))

    def _mark(self, grade: "Grade | None", right: bool) -> tuple[str, str]:
        if right:
            return "✓ Right. ", "bold $success"
        if self._value is None:
            return "– Noted. ", "bold"
        if grade and grade.credit > 0:
            return f"~ Partly right ({grade.credit:.0%}). ", "bold $warning"
        return "✗ Wrong. ", "bold $error"


def _good_answer(grade: "Grade") -> Content:
    return Content.assemble(("A good answer: ", "bold"), limit_text(grade.answer, lines=_LINES))


def _right_answer(question: AskedQuestion, grade: "Grade | None", right: bool) -> Content:
    """Return the right answer behind the mark of one that was not."""
    if right or not grade or not grade.answer:
        return Content("")
    if question.kind == "open":
        return _good_answer(grade)
    answer = grade.answer.replace("\n", "; ") if question.kind == "multi" else grade.answer
    answer = limit_text(answer, lines=_LINES)
    if "\n" in answer:
        kind = question.as_kind or question.kind
        return style_code(f"{_OF_LINES.get(kind, 'The right answer')}:\n{answer}").stylize("bold")
    return style_code(f"It is {answer}. ").stylize("bold")


def _feedback(grade: "Grade | None", said: str) -> str:
    """Return the comment on an answer, unless it only says the answer again."""
    return grade.feedback if grade and grade.feedback != f"You said {said}." else ""


class FoldedText(VerticalGroup):
    """Text of a lesson that tells the result of a prediction: one line until the prediction is made."""

    def __init__(self, text: Callable[[], Widget], waits: Callable[[], bool]) -> None:
        """`text` makes the widget that is folded; `waits` says if a prediction is still open."""
        super().__init__()
        self._text, self._waits = text, waits
        self._folded = False

    def compose(self) -> ComposeResult:
        self._folded = self._waits()
        if self._folded:
            words = "▸ This text tells the result. It opens once you have answered the prediction."
            yield Static(words, classes="folded", markup=False)
        else:
            yield self._text()

    def look(self) -> None:
        """Show the text if its predictions have been made."""
        if self._folded and not self._waits():
            self.refresh(recompose=True)


def say_answer(question: AskedQuestion, value: Any) -> str:
    """An answer as the learner would say it."""
    if question.kind == "open":
        text = value.get("text", "") if isinstance(value, dict) else value
    else:
        kind = question.as_kind or question.kind
        try:
            text = answer_in_words(replace(question, kind=kind, answer=value))
        except (KeyError, IndexError, TypeError, ValueError):  # the question has changed since
            text = value
    return limit_text(str(text), lines=6)
