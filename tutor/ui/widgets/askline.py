"""The line at the foot of a screen in which one thing at a time is asked for."""

from textual.keys import REPLACED_KEYS, key_to_character
from textual.widgets import Input


def _character(key: str) -> str | None:
    return key_to_character(REPLACED_KEYS.get(key, key))


class AskLine(Input):
    """Hidden until `ask`; then the keyboard is here, and the screen puts the line away again."""

    def __init__(self, *, id: str) -> None:  # noqa: A002  (Textual's name for it)
        super().__init__(compact=True, id=id)
        self.display = False
        self.asking = ""  # what is asked for, "" where nothing is

    def ask(self, what: str, value: str, placeholder: str) -> None:
        self.asking = what
        self.placeholder, self.value = placeholder, value
        self.display = True
        self.focus()
        self.action_end()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Textual knows no character of some keys, "slash" among them, and the footer would name what
        they do elsewhere."""
        return super().check_consume_key(key, character or _character(key))

    def put_away(self) -> str:
        """Hide the line; returns what was asked for."""
        asked, self.asking = self.asking, ""
        self.display = False
        return asked
