"""The README's commands and keys, and the list of keys made from the table of actions."""

import re
from pathlib import Path

import pytest
from keys_page import PAGE, is_listed, page, spelt_keys, title

from tutor.cli import COMMANDS
from tutor.course.catalog.course import open_course
from tutor.ui.kit.keys.actions import ACTIONS

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_command_is_named() -> None:
    table = README.partition("## On the command line")[2].partition("```sh")[0]
    named = re.findall(r"`([a-z][a-z-]*)", table)
    assert set(COMMANDS) - set(named) == set()


def test_the_readmes_keys_work_everywhere() -> None:
    section = README.partition("## In the application")[2].partition("\n## ")[0]
    named = re.findall(r"`([^`]{1,2})`", section)
    assert len(named) >= 5
    assert set(named) - {key for action in ACTIONS["app"] for key in spelt_keys(action)} == set()


def test_the_readme_counts_days_and_exercises() -> None:
    overview = open_course().overview()
    days, exercises = len(overview.days), len(overview.exercises)
    assert all(day.written for day in overview.days)
    assert f"The course has {days} days and {exercises} exercises" in README


def test_the_list_of_keys_is_that_of_the_table() -> None:
    assert page() == PAGE.read_text(encoding="utf-8"), "`make docs` writes it"


@pytest.mark.parametrize("place", ACTIONS)
def test_every_place_and_key_is_in_the_list(place: str) -> None:
    rows = (
        PAGE.read_text(encoding="utf-8")
        .partition(f"\n## {title(place)}\n")[2]
        .partition("\n## ")[0]
    )
    named = set(re.findall(r"`([^`]+)`", rows))
    assert named >= {key for a in ACTIONS[place] if is_listed(a) for key in spelt_keys(a)}
