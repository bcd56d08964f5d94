"""Texts that name keys, for pages that stay while the learner gives an action another key."""

from collections.abc import Callable

from textual.content import Content
from textual.widgets import Static


class Named(Static):
    """A text that names keys. `words` returns it and is called again when keys have changed."""

    def __init__(self, words: Callable[[], Content], classes: str | None = None) -> None:
        super().__init__(words(), classes=classes, markup=False)
        self._words = words

    def keys_changed(self) -> None:
        self.update(self._words())
