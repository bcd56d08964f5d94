"""`tutor ideas`: a phase's map in plain lines, told at once or asked idea by idea."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
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


@pytest.mark.parametrize("phase", [1, 2, 3, 4, 5])
def test_each_phase_is_asked_from_its_first_idea_to_its_last(tmp_path: Path, phase: int) -> None:
    course = open_course()
    concepts = course.concept_map(phase)
    assert concepts is not None
    count = len(concepts.nodes)
    done = ideas(tmp_path, str(phase), "--ask", typed="\n" * count)
    assert (done.returncode, done.stderr) == (0, "")
    for number, node in enumerate(sorted(concepts.nodes, key=lambda it: (it.row, it.column)), 1):
        assert f"{number} of {count}: {node.title}" in done.stdout
        _, _, after = done.stdout.partition(f"{number} of {count}: {node.title}")
        for target in node.read:
            day, _, slug = target.removeprefix("lesson:").partition("/")
            lesson = course.lesson(int(day))
            assert lesson is not None
            title = next(section.title for section in lesson.sections if section.slug == slug)
            page = " ".join(after.partition(f"{number + 1} of {count}")[0].split())
            assert f"Day {day}, {title}" in page


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
