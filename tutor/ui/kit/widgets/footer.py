"""The footer of a screen: as many of the active keys as fit, always with the key that leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual.app import ComposeResult
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Footer as TextualFooter
from textual.widgets._footer import FooterKey

from tutor.ui.kit.core.textual_fixes import character_of

_ALWAYS = 2  # the last ones: the key that leaves this screen, and the application's help


@dataclass(frozen=True)
class Shown:
    """An action in the footer. Those that are not `wanted` are shown only if there is room."""

    key: str
    key_display: str
    label: str
    action: str
    enabled: bool
    tooltip: str
    wanted: bool

    @property
    def width(self) -> int:
        """Columns, with Textual's padding: one on either side of the key, one after the label."""
        return len(self.key_display) + len(self.label) + 3


class Footer(TextualFooter):
    """Textual's footer, composed again only if it would show something else. A page turn moves the
    focus, which usually leaves the keys the same."""

    def __init__(self) -> None:
        super().__init__(show_command_palette=False)
        self._shown: tuple[Shown, ...] = ()

    def compose(self) -> ComposeResult:
        if not self._shown:  # otherwise a new screen would be laid out and drawn twice
            self._shown = fitting(self._actions(self.screen), self.app.size.width)
        for each in self._shown:
            key = FooterKey(
                each.key, each.key_display, each.label, each.action, not each.enabled, each.tooltip
            )
            key.set_reactive(FooterKey.compact, self.compact)  # otherwise it is styled twice
            yield key

    def bindings_changed(self, screen: Screen[Any]) -> None:
        shown = fitting(self._actions(screen), self.app.size.width)
        if shown != self._shown and self.app.app_focus:
            self._shown = shown
            super().bindings_changed(screen)

    def on_resize(self, event: Resize) -> None:
        self.bindings_changed(self.screen)

    def _actions(self, screen: Screen[Any]) -> list[Shown]:
        """Each action once, with the first of its keys that works now. An action without help, such as
        an arrow key's, is included only if it is `wanted`."""
        found: dict[str, Shown] = {}
        focused = screen.focused
        for key, (node, binding, enabled, tooltip) in screen.active_bindings.items():
            if (
                focused
                and node is not focused
                and focused.check_consume_key(key, character_of(key))
            ):
                continue  # typed there
            extra = enabled and bool(binding.id and tooltip) and node is not self.app
            if binding.action not in found and (binding.show or extra):
                display = self.app.get_key_display(binding)
                found[binding.action] = Shown(
                    key,
                    display,
                    binding.description,
                    binding.action,
                    enabled,
                    tooltip,
                    binding.show,
                )
        return list(found.values())


def fitting(actions: Sequence[Shown], width: int) -> tuple[Shown, ...]:
    """The actions that fit whole in `width` columns. The last wanted ones are chosen first, then the
    other wanted ones in their order, then the rest."""
    wanted = [each for each in actions if each.wanted]
    last, first = wanted[-_ALWAYS:], wanted[:-_ALWAYS]
    others = [each for each in actions if not each.wanted]
    room = width - sum(each.width for each in last)
    chosen: list[Shown] = []
    for each in (*first, *others):
        if each.width <= room:
            chosen.append(each)
            room -= each.width
    return (*chosen, *last)
