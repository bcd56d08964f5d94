"""An action of the interface and its keys, as data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Action:
    """An action. `id` is its name in a keymap ("lesson.next"); `keys` are Textual's names, by commas.

    `label` is the word in the footer; `show` puts it there. `help` is the help page's sentence.
    """

    id: str
    keys: str
    action: str
    label: str
    show: bool = True
    help: str = ""
