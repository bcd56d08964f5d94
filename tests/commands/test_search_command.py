"""`tutor search` as a process: what it prints, its status, what it does not load."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from run_home import share_course

PROBE = """
import sys
from tutor.cli import tutor
tutor.main(["search", "mask", "--json"], standalone_mode=False)
print(*sorted(sys.modules))
"""
HEAVY = {"textual", "torch", "triton", "numpy", "fsrs", "markdown_it", "tomli"}


def run(home: Path, *arguments: str, status: int = 0) -> str:
    environment = {**os.environ, "TUTOR_HOME": str(share_course(home))}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == status, done.stderr
    assert not done.stderr
    return done.stdout


@pytest.mark.slow
def test_it_prints_places_and_as_json_the_same(tmp_path: Path) -> None:
    said = {"lesson": "lesson", "term": "glossary", "question": "question"}
    lines = run(tmp_path, "-m", "tutor", "search", "masked", "lanes", "--limit", "3").split("\n")
    found = json.loads(
        run(tmp_path, "-m", "tutor", "search", "masked", "lanes", "--limit", "3", "--json")
    )
    assert found["query"] == "masked lanes"
    assert found["every"] is True
    assert len(found["hits"]) == 3
    assert [line for line in lines if line and not line.startswith(" ")] == [
        f"{said[hit['kind']]} · Day {hit['day']}" + (f" · {hit['title']}" if hit["title"] else "")
        for hit in found["hits"]
    ]
    for hit in found["hits"]:
        assert all(match in hit["excerpt"] for match in hit["matches"])


@pytest.mark.slow
def test_nothing_found_is_status_1_and_operators_are_words(tmp_path: Path) -> None:
    assert (
        run(tmp_path, "-m", "tutor", "search", "quokka", status=1) == "Nothing has these words.\n"
    )
    nothing = run(tmp_path, "-m", "tutor", "search", '"*NEAR(', "--json", "--", "-x^", status=0)
    assert json.loads(nothing)["query"] == '"*NEAR( -x^'


@pytest.mark.slow
def test_a_warm_search_loads_nothing_heavy(tmp_path: Path) -> None:
    run(tmp_path, "-m", "tutor", "search", "mask")
    modules = run(tmp_path, "-c", PROBE).strip().split("\n")[-1].split()
    assert "tutor.search.search" in modules
    assert HEAVY.isdisjoint(modules)
