"""The README's commands and keys are those that there are."""

import re
from pathlib import Path

import pytest

from tutor.cli import COMMANDS
from tutor.ui.kit.keys.actions import ACTIONS

README = (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
KEYS = README.partition("## In the application")[2].partition("\n## ")[0]
NAMES = {"[": "left_square_bracket", "]": "right_square_bracket", "/": "slash"}
PARTS = {  # places that a row of another name tells, or one row together
    "checkpoint": ("checkpoint", "checklist", "reflection"),
    "introduction": ("welcome",),
    "lab": ("lab", "scratch", "editor"),
}


def test_every_command_is_named() -> None:
    table = README.partition("## On the command line")[2].partition("```sh")[0]
    named = re.findall(r"`([a-z]+)", table)
    assert set(COMMANDS) - set(named) == set()


@pytest.mark.parametrize("row", re.findall(r"^\| (\w+) \| (.*`.*) \|$", KEYS, re.M))
def test_every_key_is_one_of_that_place(row: tuple[str, str]) -> None:
    place, text = row
    keys = {
        key
        for part in PARTS.get(place, (place,))
        for action in ACTIONS[part]
        for key in action.keys.split(",")
    }
    if place == "quiz":
        keys |= set("12345")  # how sure one is: the question's own
    told = {NAMES.get(key, key) for key in re.findall(r"`([a-zA-Z0-9]|F\d+|[][/])`", text)}
    told = {key.lower() if len(key) > 1 else key for key in told}
    assert told
    assert told - keys == set()
