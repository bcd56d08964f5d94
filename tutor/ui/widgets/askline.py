"""The line at the foot of a screen in which one thing at a time is asked for."""

from textual import on
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input


class AskLine(Input):
    """Hidden until `ask`; then the keyboard is here until `put_away`.

    `Given` is posted when Enter is pressed; the line is away by then.
    """

    DEFAULT_CSS = """
    AskLine { display: none; height: 1; border: none; padding: 0 1; background: $panel; }
    """

    class Given(Message):
        def __init__(self, asked: str, text: str) -> None:
            self.asked, self.text = asked, text
            super().__init__()

    def __init__(self) -> None:
        super().__init__(compact=True)
        self.asking = ""  # what is asked for, "" where nothing is
        self._back: Widget | None = None  # where the keyboard came from

    def ask(self, what: str, value: str, placeholder: str, back: Widget) -> None:
        """Ask for `what`; the keyboard goes back to `back` afterwards."""
        self.asking, self._back = what, back
        self.placeholder, self.value = placeholder, value
        self.display = True
        self.focus()
        self.action_end()

    def put_away(self) -> None:
        self.asking = ""
        self.display = False
        if self._back is not None:
            self._back.focus()

    @on(Input.Submitted)
    def submitted(self, event: Input.Submitted) -> None:
        event.stop()
        asked = self.asking
        self.put_away()
        self.post_message(self.Given(asked, event.value))
