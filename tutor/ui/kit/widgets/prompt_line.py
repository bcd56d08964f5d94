"""The line at the foot of a screen in which one thing at a time is asked for."""

from textual.widgets import Input


class AskLine(Input):
    """Hidden until `ask`; then the keyboard is here, and the screen puts the line away again."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  (Textual's name for it)
        super().__init__(compact=True, id=id)
        self.display = False
        self.asking = ""  # the present request, "" if there is none

    def ask(self, what: str, value: str, placeholder: str) -> None:
        self.asking = what
        self.placeholder, self.value = placeholder, value
        self.display = True
        self.focus()
        self.action_end()

    def put_away(self) -> str:
        """Hide the line and return its request."""
        asked, self.asking = self.asking, ""
        self.display = False
        return asked
