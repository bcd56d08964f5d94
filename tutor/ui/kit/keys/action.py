"""One action of the interface and its keys, as data."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Action:
    """`id` is what a keymap names ("lesson.next"); `keys` are Textual's key names, by commas.

    `label` is the word in the footer; `show` puts it there. `help` is the help page's sentence.
    """

    id: str
    keys: str
    action: str
    label: str
    show: bool = True
    help: str = ""
