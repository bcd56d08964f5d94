"""The line at the foot of a screen that asks for one text at a time."""

from textual.widgets import Input


class AskLine(Input):
    """A field that is hidden until `ask` shows and focuses it. The screen hides it with `put_away`."""

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
