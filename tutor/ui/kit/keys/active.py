"""The keys that work on a screen now, for its footer, the help page and the palette."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from textual.binding import ActiveBinding, Binding
from textual.screen import Screen

if TYPE_CHECKING:
    from tutor.ui.kit.core.services import Services


def active_actions(screen: Screen[Any]) -> Iterator[tuple[str, ActiveBinding]]:
    """Yield each key with what it does now, as `Screen.active_bindings` does.

    A list of Textual's takes Enter for itself and tells the screen of it: then the screen's own action
    of that key says what Enter does.
    """
    own = screen._bindings.key_to_bindings
    for key, active in screen.active_bindings.items():
        if active.binding.id is None and active.binding.action == "select":
            named = next((b for b in own.get(key, ()) if b.id and _works(screen, b)), None)
            yield (
                key,
                active if named is None else active._replace(binding=named, tooltip=named.tooltip),
            )
        else:
            yield key, active


def _works(screen: Screen[Any], binding: Binding) -> bool:
    """Return True unless the action has no use now or the learner gave it another key."""
    rebound = binding.id in cast("Services", screen.app).keymap
    return not rebound and bool(screen.app._check_action_state(binding.action, screen))
