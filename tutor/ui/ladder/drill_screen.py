"""A drill on a kernel's own code: which of Triton's passes was left out of it?"""

import random

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList, Static

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.key_labels import key_of
from tutor.xray.model import omission_table as table
from tutor.xray.model.pass_drill import PassQuestion, draw_question
from tutor.xray.model.pass_words import describe_pass
from tutor.xray.model.stages import Omission

_GREY = "$foreground 70%"


class DrillScreen(Modal[None]):
    """Questions drawn from `rows`, the first of the whole kernel; `code` is its machine code."""

    CSS_PATH = "screen.tcss"
    BINDINGS = window_bindings("drill")

    def __init__(
        self,
        rows: list[Omission],
        code: str,
        question: PassQuestion,
        drawn: random.Random | None = None,
    ) -> None:
        super().__init__()
        self._rows, self._code, self._question = rows, code, question
        self._drawn = drawn or random.Random()
        self._chosen: Omission | None = None
        self._right = self._asked = 0

    def compose(self) -> ComposeResult:
        keys = (
            ("Enter", "answers"),
            (key_of(self, "drill.next"), "another one"),
            (key_of(self, "drill.close"), "closes"),
        )
        foot = " · ".join(f"{key}: {does}" for key, does in keys)
        with dialog("Which of Triton's passes is missing?", foot):
            yield Static(id="code", markup=False)
            yield OptionList(id="names", markup=False)
            yield Static(id="answer", markup=False)

    def on_mount(self) -> None:
        self._draw()

    def _draw(self) -> None:
        question, whole = self._question, self._rows[0]
        heads, cells = table.HEADS[1:], table.cells_of(question.row, whole)
        told = zip(heads, cells, table.cells_of(whole, whole), strict=True)
        counts = ", ".join(f"{head} {now} → {cell}" for head, (cell, new), (now, _) in told if new)
        lines = [
            Content("With all passes → without one of them:"),
            Content.styled(counts or "the same counts", "bold"),
            Content(""),
            *(
                Content.assemble((f"{name:<24}", "$accent"), f"{now:>6} → {without}")
                for name, now, without in question.opcodes
            ),
        ]
        self.query_one("#code", Static).update(Content("\n").join(lines))
        options = self.query_one("#names", OptionList)
        options.clear_options().add_options([self._option(row) for row in question.options])
        chosen = self._chosen
        options.highlighted = 0 if chosen is None else question.options.index(chosen)
        self.query_one("#answer", Static).update(self._answer())

    def _option(self, row: Omission) -> Content:
        mark = style = ""
        if self._chosen is not None and row is self._question.row:
            mark, style = "  ✓", "$success"
        elif row is self._chosen:
            mark, style = "  ✗", "$error"
        return Content.styled(f"{row.name}{mark}", style)

    def _answer(self) -> Content:
        if self._chosen is None:
            return Content.styled("Choose the pass that was left out.", _GREY)
        said = "Right." if self._chosen is self._question.row else "No."
        row = self._question.row
        words = describe_pass(row.name)
        return Content.assemble(
            (f"{said} {row.name}  ", "bold"),
            f"{words} " if words else "",
            table.describe_changes(row, self._rows[0]),
            (f"  {self._right} of {self._asked} right.", _GREY),
        )

    @on(OptionList.OptionSelected)
    def answer(self, event: OptionList.OptionSelected) -> None:
        if self._chosen is not None:
            return
        self._chosen = self._question.options[event.option_index]
        self._asked += 1
        self._right += self._chosen is self._question.row
        self._draw()

    def action_open(self) -> None:
        self.query_one("#names", OptionList).action_select()

    def action_next(self) -> None:
        question = draw_question(self._rows, self._code, self._drawn, self._question.row)
        assert question is not None  # there was one before
        self._question, self._chosen = question, None
        self._draw()

    def action_close(self) -> None:
        self.dismiss(None)
