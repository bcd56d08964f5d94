"""The explanation after an answer: the word on it, and texts of Markdown."""

from typing import TYPE_CHECKING

from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from tutor.course.reading.links import parser
from tutor.ui.kit.text.inline_markdown import style_code, style_inline
from tutor.ui.kit.widgets.markdown import MarkdownView
from tutor.ui.question.field import RIGHT, WRONG

if TYPE_CHECKING:
    from tutor.quiz import Grade


def markdown_widget(text: str) -> Static | MarkdownView:
    """A widget for the text: a `Static` for one paragraph, the usual case, else a `MarkdownView`."""
    blocks = parser().parse(text)
    if [block.type for block in blocks] == ["paragraph_open", "inline", "paragraph_close"]:
        return Static(style_inline(text), classes="paragraph")
    return MarkdownView(text)


class Explained(Vertical):
    """The explanation after the answer. With `follow` it stays in sight while its text is laid out."""

    def __init__(self, *parts: Widget, follow: bool = True) -> None:
        super().__init__(*parts, classes="explained")
        self._follow = follow

    def on_resize(self) -> None:
        if self._follow:
            self.scroll_visible(animate=False)


def judgement(grade: "Grade", known: bool, told: bool = False) -> Content:
    """The verdict as a word and a mark, with the right answer if the learner did not give it.

    Not `known`: the learner did not know, which is no mistake. `told`: the answer is shown elsewhere.
    """
    if grade.right is None and not grade.answer:  # it could not run on this machine
        return Content.styled("– Not graded", "bold")
    if grade.right is None:
        return Content.styled("– Compared by you", "bold")
    if grade.right:
        return Content.styled(f"{RIGHT} Right", "bold $success")
    if grade.cause:
        from tutor.judge.reports.cause_texts import HEADLINES  # here: it reads a file

        return Content.styled(f"{WRONG} {HEADLINES.get(grade.cause, 'Not right')}", "bold $error")
    if not known:
        mark: tuple[str, str] = ("– Noted.", "bold")
    elif grade.credit > 0:
        mark = (f"~ Partly right ({grade.credit:.0%}).", "bold $warning")
    else:
        mark = (f"{WRONG} Wrong.", "bold $error")
    if known and grade.sides:
        names = (f"  {side + ':':9}{'; '.join(answers)}" for side, answers in grade.sides.items())
        return Content("\n").join([Content.assemble(mark), *map(style_code, names)])
    rows = (
        [style_code(row) for row in grade.answer.split("\n")] if grade.answer and not told else []
    )
    first = Content.assemble(
        mark,
        (" The answer: ", "dim") if rows else "",
        rows[0].stylize_before("bold") if len(rows) == 1 else "",
    )
    more = [Content.assemble("  ", row) for row in rows] if len(rows) > 1 else []
    return Content("\n").join([first, *more])
