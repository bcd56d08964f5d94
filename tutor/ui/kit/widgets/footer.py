"""The footer of a screen: as many of the active keys as fit, always with the key that leaves."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tutor.ui.kit.core.textual_fixes import character_of

_ALWAYS = 2  # the last ones: the key that leaves this screen, and the application's help


class Shown(NamedTuple):
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
        """Columns: there is a space on either side of the key, and one after the label."""
        return len(self.key_display) + len(self.label) + 3


class FooterKey(Static):
    """A key and what it does. A click presses the key.

    Textual's own has two component classes, so that each key is styled three times: home would be
    painted 9 ms later (of 250 on two cores).
    """

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    FooterKey {
        width: auto;
        color: $footer-description-foreground;
        background: $footer-item-background;
        pointer: pointer;
    }
    FooterKey:hover { color: $footer-key-foreground; background: $block-hover-background; }
    FooterKey.-disabled { text-style: dim; }
    """

    def __init__(self, shown: Shown) -> None:
        words = Content.assemble(
            (f" {shown.key_display} ", "bold $footer-key-foreground"), f"{shown.label} "
        )
        super().__init__(words, classes="" if shown.enabled else "-disabled", markup=False)
        self.set_reactive(FooterKey.shrink, False)
        self.shown = shown
        if shown.tooltip:
            self.tooltip = shown.tooltip

    def on_mouse_down(self) -> None:
        if self.shown.enabled:
            self.app.simulate_key(self.shown.key)
        else:
            self.app.bell()


class Footer(Widget):
    """The keys of the screen, composed again only if there are others. A page turn moves the focus,
    which usually leaves the keys the same."""

    ALLOW_SELECT = False
    DEFAULT_CSS = """
    Footer { layout: horizontal; dock: bottom; height: 1; background: $footer-background; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Shown, ...] = ()

    def compose(self) -> ComposeResult:
        if not self._shown:  # otherwise a new screen would be laid out and drawn twice
            self._shown = choose_fitting(self._actions(self.screen), self.app.size.width)
        yield from map(FooterKey, self._shown)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self.bindings_changed)

    def on_unmount(self) -> None:
        self.screen.bindings_updated_signal.unsubscribe(self)

    def on_resize(self) -> None:
        self.bindings_changed(self.screen)

    def bindings_changed(self, screen: Screen[Any]) -> None:
        if not (self.app.app_focus and self.is_attached and screen is self.screen):
            return
        shown = choose_fitting(self._actions(screen), self.app.size.width)
        if shown != self._shown:
            self._shown = shown
            self.call_after_refresh(self.recompose)

    def _actions(self, screen: Screen[Any]) -> list[Shown]:
        """Each action once, with the first of its keys that works now. An action without help, such as
        an arrow key's, is included only if it is `wanted`."""
        actions: dict[str, Shown] = {}
        focused = screen.focused
        for key, (node, binding, enabled, tooltip) in screen.active_bindings.items():
            if (
                focused
                and node is not focused
                and focused.check_consume_key(key, character_of(key))
            ):
                continue  # typed there
            extra = enabled and bool(binding.id and tooltip) and node is not self.app
            if binding.action not in actions and (binding.show or extra):
                display = self.app.get_key_display(binding)
                actions[binding.action] = Shown(
                    key,
                    display,
                    binding.description,
                    binding.action,
                    enabled,
                    tooltip,
                    binding.show,
                )
        return list(actions.values())


def choose_fitting(actions: Sequence[Shown], width: int) -> tuple[Shown, ...]:
    """The actions that fit whole in `width` columns. The last wanted ones are chosen first, then the
    other wanted ones in their order, then the rest."""
    wanted = [action for action in actions if action.wanted]
    last, first = wanted[-_ALWAYS:], wanted[:-_ALWAYS]
    others = [action for action in actions if not action.wanted]
    room = width - sum(action.width for action in last)
    chosen: list[Shown] = []
    for action in (*first, *others):
        if action.width <= room:
            chosen.append(action)
            room -= action.width
    return (*chosen, *last)
