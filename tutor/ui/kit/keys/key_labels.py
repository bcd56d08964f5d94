"""Names of keys for texts: `h`, `F7`, `Esc`, or the key that the learner has chosen.

All texts that name the key of an action use this module. Keys of Textual's widgets
(Enter in a list, Ctrl+Z in a text) cannot be changed; texts name them directly.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from textual.keys import format_key

from tutor.ui.kit.core.services import Services
from tutor.ui.kit.core.textual_fixes import character_of
from tutor.ui.kit.keys.actions import BY_ID, keys_of

if TYPE_CHECKING:
    from textual.message_pump import MessagePump
    from textual.widget import Widget

# Keys whose word in a sentence differs from the sign in the footer.
_IN_WORDS = {"⏎": "Enter", "pgdn": "PgDn", "pgup": "PgUp"}
_NAMED = re.compile(r"\{([a-z]+\.[a-z_]+)\}")


def key_of(node: "MessagePump", action_id: str) -> str:
    """The name of the action's key in a text of `node`, a widget or screen of the application."""
    return key_name(action_id, keymap_of(node))


def keymap_of(node: "MessagePump") -> Mapping[str, str]:
    """Return the learner's keymap: actions to keys."""
    return cast("Services", cast(Any, node.app)).keymap


def key_name(action_id: str, keymap: Mapping[str, str]) -> str:
    """The first of the action's keys. Raises `KeyError` if there is no such action."""
    return spell_key(_keys(action_id, keymap)[0])


def key_while_typing(action_id: str, keymap: Mapping[str, str]) -> str:
    """The first of its keys that types no text in an editor. If each of them types a character: Esc,
    which leaves the editor, and then the first key."""
    keys = _keys(action_id, keymap)
    free = next((key for key in keys if not _is_text(key)), None)
    return spell_key(free) if free else f"Esc {spell_key(keys[0])}"


def key_now(node: "Widget", action_id: str) -> str:
    """Like `key_of`; but like `key_while_typing` if a text has the focus."""
    return (key_while_typing if is_typing(node) else key_name)(action_id, keymap_of(node))


def is_typing(node: "Widget") -> bool:
    """Return True if a text has the focus, where letters are no keys."""
    focused = node.screen.focused
    return focused is not None and focused.check_consume_key("a", "a")


def with_keys(text: str, keymap: Mapping[str, str]) -> str:
    """`text` with `{lab.task}` replaced by that action's key."""
    return _NAMED.sub(lambda named: key_name(named[1], keymap), text)


def spell_key(key: str) -> str:
    """A key of Textual's in words: `Enter`, `F5`, `?`, `Ctrl+F`, `Shift+F7`."""
    *modifiers, base = key.split("+")
    shown = format_key(base)
    shown = _IN_WORDS.get(shown, shown)
    if modifiers or len(shown) > 1:
        shown = shown[:1].upper() + shown[1:]
    return "+".join([*(modifier.capitalize() for modifier in modifiers), shown])


def _keys(action_id: str, keymap: Mapping[str, str]) -> list[str]:
    return keys_of(BY_ID[action_id], keymap).split(",")


def _is_text(key: str) -> bool:
    character = character_of(key)
    return key == "enter" or (character is not None and character.isprintable())
