"""The page docs/keys.md, made from the table of keys. `make docs` writes it; a test compares."""

from pathlib import Path

from tutor.ui.kit.keys.action import Action
from tutor.ui.kit.keys.action_groups import MOVE, group_of
from tutor.ui.kit.keys.actions import ACTIONS
from tutor.ui.kit.keys.key_labels import spell_key

PAGE = Path(__file__).resolve().parents[3] / "docs" / "keys.md"
_HEAD = """\
# Keys

Every key as it comes. `,` opens the settings, and in them a page to change any key; `?` lists the keys
that work on the screen you see, and runs them. The arrows, `j` `k`, `PgUp` `PgDn`, `Home` `End` move
wherever there is something to move in, and are not listed again. `make docs` writes this page from the
table in `tutor/ui/kit/keys/`.
"""
_MOVES = {"up", "down", "k", "j", "pageup", "pagedown", "home", "end", "g", "G", "space"}
_TITLES = {
    "app": "Everywhere",
    "welcome": "Introduction",
    "map": "Course map",
    "ideas": "Map of ideas",
    "entry": "Explanation of a term",
    "written": "What you wrote",
    "report": "Report of a project",
    "lab": "Lab, outside the editor and with function keys",
    "editor": "Lab, in the editor",
    "scratch": "Lab, in the scratch cells",
    "editmenu": "Lab, the editor's menu",
    "editline": "Lab, the line that asks for a text or a number",
    "says": "Questions about your program",
    "break": "Break it before you write it",
    "access": "Access map",
    "faulty": "A lesson that cannot be read",
    "about": "Explanation of a stage",
    "attempt": "An attempt",
    "conflict": "A file that changed on disk",
    "window": "Every window over a page",
    "choose": "A list to choose from",
    "keys": "Settings, the page of keys",
    "jump": "Jump letters",
    "small": "A window that is too small",
}


def page() -> str:
    return "\n".join([_HEAD, *map(_part, ACTIONS)])


def title(place: str) -> str:
    """The heading of a place; a place without one of its own has its name."""
    return _TITLES.get(place, place.capitalize())


def spelt_keys(action: Action) -> list[str]:
    """An action's keys as the interface names them."""
    return list(dict.fromkeys(spell_key(key) for key in action.keys.split(",")))


def is_listed(action: Action) -> bool:
    """Return False for a key that moves as it does everywhere."""
    moves = group_of("", action.action) == MOVE and set(action.keys.split(",")) <= _MOVES
    return action.id.startswith("app.") or bool(action.help) or not moves


def _part(place: str) -> str:
    """The section of one place: each action's keys, and its sentence or its word in the footer."""
    rows = [
        f"| {' '.join(f'`{key}`' for key in spelt_keys(action))} | {action.help or action.label} |"
        for action in ACTIONS[place]
        if is_listed(action)
    ]
    return "\n".join([f"## {title(place)}", "", "| keys | action |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
