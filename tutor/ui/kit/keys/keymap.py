"""A learner's own keys, from `[keys]` in `config.toml`: `"lesson.next" = "l"`, by the ids of `keys`."""

from collections.abc import Mapping
from typing import Any

from textual.app import App
from textual.binding import Binding
from textual.keys import REPLACED_KEYS, Keys, _normalize_key_list, key_to_character

from tutor.base.config import Loaded, suggest_name
from tutor.ui.kit.keys.action import Action
from tutor.ui.kit.keys.actions import ACTIONS, BY_ID, keys_of

# Letters of vi next to the key that does the same; without vim_keys the letters are free.
_VIM = {"j": "down", "k": "up", "h": "left", "l": "right", "g": "home", "G": "end"}
_NAMED = {key.value for key in Keys} | set(REPLACED_KEYS)
# The widgets of a question handle these before any action.
TAKEN = {
    "tab": "moves between the parts of a page",
    "shift+tab": "moves between the parts of a page",
    "ctrl+c": "copies",
    "ctrl+q": "quits",
    "ctrl+p": "opens the palette",
}


def read_keymap(loaded: Loaded) -> tuple[dict[str, str], list[str]]:
    """Action id -> key names by commas, for `App.set_keymap`; and a sentence for each fault. An
    action with a fault keeps its default keys."""
    keymap = {} if loaded.config.vim_keys else _without_vim()
    own, faults = {}, []
    for name, keys in loaded.config.keys.items():
        place = loaded.places.get(f"keys.{name}", "config.toml")
        if name not in BY_ID:
            faults.append(f"{place}: no action {name!r}{suggest_name(name, BY_ID)}; it is left out")
        elif fault := key_fault(keys):
            faults.append(f"{place}: {name}: {fault}; its default keys stay")
        else:
            own[name] = normal(keys)
    keymap |= own
    for name in own:
        if (other := find_clash(name, keymap[name], keymap)) is not None:
            place = loaded.places.get(f"keys.{name}", "config.toml")
            faults.append(
                f"{place}: {name}: {other.id} has one of these keys; its default keys stay"
            )
            del keymap[name]
    return keymap, faults


def normal(keys: str) -> str:
    """Textual's names: "question_mark" for "?"."""
    return _normalize_key_list(keys)


def display_keys(app: App[Any], keys: str) -> str:
    """Keys by commas as the footer shows them."""
    return "  ".join(app.get_key_display(Binding(key, "")) for key in keys.split(","))


def key_fault(keys: str) -> str:
    """The fault in keys separated by commas, or "". `x`, `f5`, `question_mark`, `ctrl+left` are keys."""
    for key in normal(keys).split(","):
        *modifiers, base = key.split("+")
        known = base and (len(base) == 1 or base in _NAMED or key_to_character(base) is not None)
        if key in TAKEN:
            return f"{key} {TAKEN[key]} everywhere"
        if not (known and set(modifiers) <= {"ctrl", "shift", "alt", "super"}):
            return f"there is no key {key!r} (`tutor doctor --keys` names what you press)"
    return ""


def find_clash(action_id: str, keys: str, keymap: Mapping[str, str]) -> Action | None:
    """The action that has one of these keys: of the same place or of the whole application; for an
    action of the whole application, of any place."""
    wanted = set(keys.split(","))
    place = action_id.partition(".")[0]
    own = set(BY_ID[action_id].keys.split(","))
    others = BY_ID.values() if place == "app" else (*ACTIONS[place], *ACTIONS["app"])
    for other in others:
        if other.id == action_id:
            continue
        taken = wanted & set(keys_of(other, keymap).split(","))
        # A place may use a key of the application if the table defines it so.
        if other.id.startswith("app.") and place != "app":
            taken -= own
        elif place == "app" and not other.id.startswith("app."):
            taken -= set(other.keys.split(",")) & own
            if set(other.keys.split(",")) <= set(_VIM):  # in a list, whose arrows do the same
                continue
        if taken:
            return other
    return None


def _without_vim() -> dict[str, str]:
    keymap = {}
    for action in BY_ID.values():
        keys = action.keys.split(",")
        kept = [key for key in keys if _VIM.get(key) not in keys]
        if kept != keys:
            keymap[action.id] = ",".join(kept)
    return keymap
