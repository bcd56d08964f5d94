"""`tutor ideas`: a phase's map in plain lines, told at once or asked idea by idea."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from run_home import share_course

from tutor.base import paths
from tutor.course.catalog.course import open_course


def ideas(home: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tutor", "ideas", *words],
        input=typed,
        env={**os.environ, "TUTOR_HOME": str(share_course(home))},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_every_idea_is_told_with_the_section_that_teaches_it(tmp_path: Path) -> None:
    concepts = open_course().concept_map(1)
    assert concepts is not None
    done = ideas(tmp_path, "1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert all(node.title in lines for node in concepts.nodes)
    assert "Taught on: Day 2, Four memories; Day 4, What a load fetches." in lines
    assert "Leads to: Profile." in lines  # of fusion


def test_asked_an_idea_is_told_only_after_enter(tmp_path: Path) -> None:
    concepts = open_course().concept_map(1)
    assert concepts is not None
    count = len(concepts.nodes)
    done = ideas(tmp_path, "1", "--ask", typed="bytes and kernels\n")
    assert (done.returncode, done.stderr) == (0, "")
    before, _, after = done.stdout.partition("A model is a page of Python")
    assert f"1 of {count}: Why compile?" in before
    assert "Taught on" not in before
    assert "Taught on: Day 1, What the three operations cost" in after
    assert "What no software can change" not in after  # the second is named, not told
    assert f"2 of {count}: Hardware limits" in after


def test_a_phase_without_a_map_is_said_in_one_sentence(tmp_path: Path) -> None:
    course = tmp_path / "course"
    for folder in ("lessons/maps", "quizzes", "kernels"):
        (course / folder).mkdir(parents=True)
    for file in ("outline.toml", "maps/phase-1.toml"):
        shutil.copy(paths.course_root() / "lessons" / file, course / "lessons" / file)
    done = subprocess.run(
        [sys.executable, "-m", "tutor", "--course", str(course), "ideas", "5"],
        env={**os.environ, "TUTOR_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "tutor: no ideas are drawn for phase 5; phases with a map: 1\n"
