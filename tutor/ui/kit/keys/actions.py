"""Every action of the interface with its keys, as data: footers, the help page and a learner's own
keymap all read this table.

No action needs ctrl or alt, which terminals, tmux and window managers take for themselves; only ctrl+z
is what it is in every program of a shell.
"""

from collections.abc import Mapping

from textual.binding import Binding, BindingType

from tutor.ui.kit.keys.action import Action
from tutor.ui.kit.keys.lab_actions import LAB_ACTIONS
from tutor.ui.kit.keys.study_actions import STUDY_ACTIONS

_SETTINGS_AND_DIALOGS: dict[str, tuple[Action, ...]] = {
    "window": (  # of every window over a page, where it has no such key of its own
        Action(
            "window.help", "question_mark,f1", "app.help", "keys", False, "The keys that work here"
        ),
        Action("window.top", "home,g", "app.edge(-1)", "to the top", False),
        Action("window.bottom", "end,G", "app.edge(1)", "to the end", False),
    ),
    "choose": (
        Action("choose.cancel", "escape,q", "cancel", "back", help="Close without choosing"),
        Action("choose.down", "down,j", "app.move(1)", "down", False),
        Action("choose.up", "up,k", "app.move(-1)", "up", False),
        Action("choose.top", "home,g", "app.edge(-1)", "to the top", False),
        Action("choose.bottom", "end,G", "app.edge(1)", "to the end", False),
    ),
    "sources": (
        Action("sources.copy", "y", "copy", "copy", help="Copy the address"),
        Action("sources.close", "escape,q,s", "close", "close", help="Back to the lesson"),
        Action("sources.down", "down,j", "app.move(1)", "down", False),
        Action("sources.up", "up,k", "app.move(-1)", "up", False),
    ),
    "settings": (
        Action("settings.change", "enter,space", "change", "change", help="Change it"),
        Action("settings.more", "right,l", "step(1)", "more", help="More of it, or the next"),
        Action("settings.less", "left,h", "step(-1)", "less", help="Less of it, or the one before"),
        Action("settings.default", "d", "default", "default", help="As it came"),
        Action(
            "settings.leave",
            "escape,q,comma",
            "leave",
            "back",
            help="Back; everything is already written",
        ),
    ),
    "keys": (
        Action("keys.change", "enter", "change", "new key", help="Another key for this action"),
        Action("keys.add", "a", "add", "one more", help="One more key for this action"),
        Action("keys.default", "d", "default", "default", help="Restore the default keys"),
        Action(
            "keys.leave",
            "escape,q",
            "app.pop_screen",
            "back",
            help="Back; everything is already written",
        ),
    ),
    "jump": (Action("jump.close", "escape,semicolon", "cancel", "back"),),
    "small": (Action("small.quit", "q,escape", "app.quit", "quit"),),
    "help": (
        Action("help.close", "escape,q,question_mark,f1", "app.pop_screen", "close"),
        Action("help.down", "down,j", "app.move(1)", "down", False),
        Action("help.up", "up,k", "app.move(-1)", "up", False),
    ),
}

ACTIONS = {**STUDY_ACTIONS, **LAB_ACTIONS, **_SETTINGS_AND_DIALOGS}  # by the place that has them
BY_ID = {action.id: action for actions in ACTIONS.values() for action in actions}


def bindings(place: str) -> list[BindingType]:
    """The actions of one place as Textual bindings; their ids are what `App.set_keymap` rebinds."""
    result: list[BindingType] = [
        Binding(a.keys, a.action, a.label, show=a.show, tooltip=a.help, id=a.id)
        for a in ACTIONS[place]
    ]
    if place == "app":  # Textual binds its own key for the palette only where no other key opens it
        result.append(Binding("ctrl+p", "command_palette", show=False))
    return result


def window_bindings(place: str) -> list[BindingType]:
    """The actions of a window over a page, and those of every window behind them."""
    return [*bindings(place), *bindings("window")]


def keys_of(action: Action, keymap: Mapping[str, str]) -> str:
    """The keys by commas that the action has now. `keymap`: the application's, of rebound actions."""
    return keymap.get(action.id, action.keys)
