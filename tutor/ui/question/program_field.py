"""A field for a program: a small editor in place."""

from typing import Any, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import TextArea

from tutor.course.model import AskedQuestion
from tutor.quiz.answer_parsing import check_program
from tutor.ui.editor.code_editor import CodeEditor
from tutor.ui.kit.keys.actions import bindings
from tutor.ui.question.field import Field

MOST_ROWS, LEAST_ROWS = 20, 6
_AROUND = 9  # rows of a small terminal that show the question while its editor is in use


class ProgramEditor(CodeEditor, inherit_bindings=False):
    """The editor without the keys that belong to the lab."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *TextArea.BINDINGS,
        *(
            binding
            for binding in bindings("editor")
            if "screen." not in getattr(binding, "action", "")
        ),
    ]


class ProgramField(Field, can_focus=True):
    """A program to change. Esc leaves the editor for the field, on which Enter submits it."""

    TEXT = ProgramEditor
    help = "change the code · {question.submit} submits it · Esc leaves the editor"

    def __init__(self, question: AskedQuestion, begun: str = "") -> None:
        """Create the field. `begun` is text written before, in place of the question's own."""
        super().__init__()
        self._question = question
        self.begun = begun or question.code
        self._editor = ProgramEditor()  # no query: the field may be removed while it is mounted

    def compose(self) -> ComposeResult:
        yield self._editor

    def on_mount(self) -> None:
        self._editor.show_text(self.begun)
        self._fit()

    @property
    def text(self) -> str:
        return self._editor.text

    def value(self) -> Any:
        return check_program(self._question, self.text)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._fit()
        self.post_message(self.Changed())

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Give the editor as many rows as its text has, as far as the screen allows."""
        editor = self._editor
        room = max(LEAST_ROWS, min(MOST_ROWS, self.app.size.height - _AROUND))
        wanted = editor.document.line_count + 1  # its last row may hold a scroll bar
        editor.styles.height = max(LEAST_ROWS, min(wanted, room))

    def on_code_editor_left(self, event: CodeEditor.Left) -> None:
        event.stop()
        self.focus()

    def on_key(self, event: events.Key) -> None:
        if event.key == "enter" and self.has_focus:
            self.action_submit()
            event.stop()
