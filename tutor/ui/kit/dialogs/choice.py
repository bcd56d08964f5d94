"""A dialog with a list to choose from: the sections of a lesson, the exercises of a day."""

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import OptionList

from tutor.ui.kit.core.screen import Modal
from tutor.ui.kit.dialogs.frame import dialog
from tutor.ui.kit.keys.actions import window_bindings
from tutor.ui.kit.keys.key_labels import key_of


class ChooseScreen(Modal[int | None]):
    """A list. Its result is the index of the chosen line or None. `does` says what Enter does;
    `preview` is called with each line that the cursor comes to."""

    BINDINGS = window_bindings("choose")

    def __init__(
        self,
        title: str,
        lines: list[Content],
        start: int = 0,
        does: str = "opens",
        preview: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__()
        self._title, self._lines, self._start = title, lines, start
        self._does, self._preview = does, preview

    def compose(self) -> ComposeResult:
        foot = f"Enter {self._does} · {key_of(self, 'choose.cancel')} closes"
        with dialog(self._title, foot):
            yield OptionList(*self._lines, markup=False)

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = self._start

    @on(OptionList.OptionSelected)
    def choose(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)

    @on(OptionList.OptionHighlighted)
    def preview_option(self, event: OptionList.OptionHighlighted) -> None:
        if self._preview is not None:
            self._preview(event.option_index)

    def action_cancel(self) -> None:
        self.dismiss(None)
