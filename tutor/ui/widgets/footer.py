"""The keys that apply, at the foot of a screen."""

from typing import Any

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Footer as TextualFooter
from textual.widgets._footer import FooterKey


class Footer(TextualFooter):
    """Textual's, composed anew only where it would show something else: a page turn moves the focus, and
    with it the same keys."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._shown: tuple[tuple[str, str, str, bool], ...] = ()

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            if isinstance(widget, FooterKey):  # a key begins as a compact one, and is styled twice
                widget.set_reactive(FooterKey.compact, self.compact)
            yield widget

    def bindings_changed(self, screen: Screen[Any]) -> None:
        shown = tuple(
            (self.app.get_key_display(binding), binding.action, binding.description, enabled)
            for _, binding, enabled, _ in screen.active_bindings.values()
            if binding.show
        )
        if shown != self._shown and self.app.app_focus:
            self._shown = shown
            super().bindings_changed(screen)
