"""An action of the interface and its keys, as data."""

from typing import NamedTuple


class Action(NamedTuple):
    """An action. `id` is its name in a keymap ("lesson.next"); `keys` are Textual's names, by commas.

    `label` is the word in the footer; `show` puts it there. `help` is the help page's sentence.
    """

    id: str
    keys: str
    action: str
    label: str
    show: bool = True
    help: str = ""
