"""The footer of a screen: at most six keys, which work now. The last ones leave, and show the rest."""

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.core.textual_fixes import character_of
from tutor.ui.kit.keys.action_groups import LEAVE, group_of
from tutor.ui.kit.keys.active import active_actions

MOST = 6  # keys, at any width
_ALWAYS = 2  # the last ones: the key that leaves this screen, and the one that shows the rest
_REST = "…"  # the word on the key of the help page, which lists and runs all that works here


class Shown(NamedTuple):
    """An action in the footer."""

    key: str
    key_display: str
    label: str
    action: str
    tooltip: str

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
    """

    def __init__(self, shown: Shown) -> None:
        super().__init__(_words(shown), markup=False)
        self.set_reactive(FooterKey.shrink, False)
        self.shown = shown
        if shown.tooltip:
            self.tooltip = shown.tooltip

    def show(self, shown: Shown) -> None:
        """Show the action as it stands now."""
        if shown != self.shown:
            self.shown = shown
            self.tooltip = shown.tooltip or None
            self.update(_words(shown))

    def on_mouse_down(self) -> None:
        self.app.simulate_key(self.shown.key)


def _words(shown: Shown) -> Content:
    return Content.assemble(
        (f" {shown.key_display} ", "bold $footer-key-foreground"), f"{shown.label} "
    )


class Footer(Widget):
    """The keys of the screen. A page turn moves the focus, which usually leaves them the same."""

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
            self.call_after_refresh(self._show)

    async def _show(self) -> None:
        """Show the actions of now. A key that stays keeps its widget: a click on one that is gone, and
        still painted, is lost (`is_stale_click`)."""
        if not self.is_attached or self._pruning:
            return
        shown = self._shown
        rank = {each.action: number for number, each in enumerate(shown)}
        kept: dict[str, FooterKey] = {}
        gone: list[FooterKey] = []
        for key in self.query(FooterKey):
            stays = key.shown.action in rank and key.shown.action not in kept
            if stays:
                kept[key.shown.action] = key
            else:
                gone.append(key)
        async with self.batch():
            await self.remove_children(gone)
            for each in shown:
                if each.action in kept:
                    kept[each.action].show(each)
            await self.mount_all(FooterKey(each) for each in shown if each.action not in kept)
            # One that was mounted meanwhile, and is not to be shown, goes at the next change.
            self.sort_children(
                key=lambda key: rank.get(cast("FooterKey", key).shown.action, len(rank))
            )

    def _actions(self, screen: Screen[Any]) -> list[Shown]:
        """Each action once, with the first of its keys that works now."""
        actions: dict[str, Shown] = {}
        focused = screen.focused
        for key, (node, binding, enabled, tooltip) in active_actions(screen):
            if (
                focused
                and node is not focused
                and focused.check_consume_key(key, character_of(key))
            ):
                continue  # typed there
            if enabled and binding.show and binding.action not in actions:
                label = _REST if binding.id == "app.help" else _label_now(screen, binding)
                if not label:
                    continue
                display = self.app.get_key_display(binding)
                actions[binding.action] = Shown(key, display, label, binding.action, tooltip)
        # The key that leaves stands last, also where it is that of a text in focus.
        return sorted(actions.values(), key=_rank)


def _label_now(screen: Screen[Any], binding: Binding) -> str:
    """Return the word for the action on this screen; "" where it has nothing to do now."""
    now = screen.label_now(binding.action) if isinstance(screen, TutorScreen) else None
    return binding.description if now is None else now


def _rank(shown: Shown) -> int:
    return 2 if shown.label == _REST else int(group_of("", shown.action) == LEAVE)


def choose_fitting(actions: Sequence[Shown], width: int) -> tuple[Shown, ...]:
    """At most `MOST` actions that fit whole in `width` columns: the last ones, and of the others the
    first."""
    last, first = actions[-_ALWAYS:], actions[:-_ALWAYS]
    room = width - sum(action.width for action in last)
    chosen: list[Shown] = []
    for action in first[: MOST - _ALWAYS]:
        if action.width <= room:
            chosen.append(action)
            room -= action.width
    return (*chosen, *last)
