"""The README's commands and keys, and the list of keys made from the table of actions.

`TUTOR_WRITE_KEYS=1 pytest tests/ui/app/test_readme.py` writes `docs/keys.md` again.
"""

import os
import re
from pathlib import Path

import pytest

from tutor.cli import COMMANDS
from tutor.ui.kit.keys.action import Action
from tutor.ui.kit.keys.actions import ACTIONS
from tutor.ui.kit.keys.key_labels import spelt

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGE = ROOT / "docs" / "keys.md"
HEAD = """\
# Keys

Every key as it comes. `,` opens the settings, and in them a page to change any key; `?` lists the keys
that work on the screen you see. A test makes this page from the table in `tutor/ui/kit/keys/`.
"""
TITLES = {
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
    "access": "Access map",
    "faulty": "A lesson that cannot be read",
    "about": "Explanation of a stage",
    "attempt": "An attempt",
    "conflict": "A file that changed on disk",
    "choose": "A list to choose from",
    "keys": "Settings, the page of keys",
    "jump": "Jump letters",
    "small": "A window that is too small",
}


def test_every_command_is_named() -> None:
    table = README.partition("## On the command line")[2].partition("```sh")[0]
    named = re.findall(r"`([a-z][a-z-]*)", table)
    assert set(COMMANDS) - set(named) == set()


def test_the_readmes_keys_work_everywhere() -> None:
    section = README.partition("## In the application")[2].partition("\n## ")[0]
    named = re.findall(r"`([^`]{1,2})`", section)
    assert len(named) >= 5
    assert set(named) - {key for action in ACTIONS["app"] for key in spelt_keys(action)} == set()


def test_the_list_of_keys_is_that_of_the_table() -> None:
    text = "\n".join([HEAD, *map(part, ACTIONS)])
    if os.environ.get("TUTOR_WRITE_KEYS"):
        PAGE.write_text(text, encoding="utf-8")
    assert text == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ACTIONS)
def test_every_place_and_key_is_in_the_list(place: str) -> None:
    rows = (
        PAGE.read_text(encoding="utf-8")
        .partition(f"\n## {title(place)}\n")[2]
        .partition("\n## ")[0]
    )
    named = set(re.findall(r"`([^`]+)`", rows))
    assert named >= {key for action in ACTIONS[place] for key in spelt_keys(action)}


def title(place: str) -> str:
    return TITLES.get(place, place.capitalize())


def part(place: str) -> str:
    """The section of one place: each action's keys, and its sentence or its word in the footer."""
    rows = [
        f"| {' '.join(f'`{key}`' for key in spelt_keys(action))} | {action.help or action.label} |"
        for action in ACTIONS[place]
    ]
    return "\n".join([f"## {title(place)}", "", "| keys | action |", "|---|---|", *rows, ""])


def spelt_keys(action: Action) -> list[str]:
    """An action's keys as the interface names them."""
    return list(dict.fromkeys(spelt(key) for key in action.keys.split(",")))
