"""Exercises of kind "pass": a course of a test's own, judged by the real judge."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from course_of_passes import SMALL, Small
from judging import judged

from tutor.base import paths
from tutor.base.errors import CannotHere
from tutor.base.extras import say_missing
from tutor.course.reading.exercise import read_exercise
from tutor.course.reading.faults import CourseFault
from tutor.judge.client import Judge
from tutor.judge.reports.verdict_text import format_verdict


def toml(small: Small) -> str:
    needs = f'"{small.needs}"' if small.needs else ""
    return (
        f'title = "T"\nday = 17\nkind = "pass"\nsubject = "{small.subject}"\nminutes = 5\n'
        f'entry = "simplify(program)"\nneeds = [{needs}]\ntask = "T"\nhints = ["a", "b", "c"]\n'
        'sources = ["s"]\n'
    )


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("passes") / "course"
    for folder in ("lessons", "quizzes"):
        (root / folder).mkdir(parents=True)
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", root / "lessons")
    for small in SMALL.values():
        folder = root / "kernels" / f"pass_{small.subject}"
        folder.mkdir(parents=True)
        (folder / "exercise.toml").write_text(toml(small))
        (folder / "reference.py").write_text(small.reference)
        (folder / "solution.py").write_text(small.right)
        (folder / "starter.py").write_text("def simplify(program):\n    return program\n")
    return root


@pytest.fixture(scope="module")
def passes(home: Path, course: Path) -> Iterator[Judge]:
    with Judge(course) as judge:
        yield judge


@pytest.mark.slow
@pytest.mark.parametrize("subject", SMALL)
def test_a_pass_is_judged_by_what_it_makes_of_programs(passes: Judge, subject: str) -> None:
    small, slug = SMALL[subject], f"pass_{subject}"
    if say_missing([small.needs]):
        with pytest.raises(CannotHere, match=r"but not judged.*pip install"):
            judged(passes, small.right, slug)
        return
    right = judged(passes, small.right, slug)
    assert right.passed, right.diagnosis
    for name, (old, new, words) in small.wrong.items():
        assert small.right.count(old) == 1, name
        verdict = judged(passes, small.right.replace(old, new), slug, explain=False)
        assert not verdict.passed
        assert words in verdict.diagnosis[0].message, name
        expected = "wrong-values" if "differs" in words else "wrong-graph"
        assert verdict.diagnosis[0].code == expected


@pytest.mark.slow
@pytest.mark.parametrize("subject", ["fx", "xdsl", "onnx"])
def test_a_counter_example_is_made_small(passes: Judge, subject: str) -> None:
    """Program first, then values; the example stands in the verdict, line by line."""
    small, slug = SMALL[subject], f"pass_{subject}"
    if missing := say_missing([small.needs]):
        pytest.skip(missing)
    old, new, _ = next(edit for edit in small.wrong.values() if "differs" in edit[2])
    if subject == "xdsl":  # wrong on drawn programs alone
        old, new, _ = small.wrong["any_difference"]
    verdict = judged(passes, small.right.replace(old, new), slug, explain=True)
    example = verdict.example
    assert example is not None
    assert len(example.program) <= (6 if subject == "onnx" else 4), example.program
    assert example.mismatch is not None or example.fault
    values = [value for shown in example.inputs for value in shown.values or ()]
    assert set(values) <= {-1, 0, 1}
    said = "\n".join(format_verdict(verdict, small.right))
    assert "The smallest program found on which the pass is wrong" in said
    assert all(line.strip() in said for line in example.program)
    if example.inputs:
        assert f"with {example.inputs[0].name}" in said


def test_a_pass_says_what_it_rewrites_and_needs(course: Path, tmp_path: Path) -> None:
    text = toml(SMALL["xdsl"])
    for old, new, words in (
        ('subject = "xdsl"\n', "", "one of fx, onnx, relax, stablehlo, xdsl"),
        ('needs = ["xdsl"]', "needs = []", "xdsl"),
    ):
        folder = tmp_path / f"pass_{len(words)}"
        shutil.copytree(course / "kernels" / "pass_xdsl", folder)
        (folder / "exercise.toml").write_text(text.replace(old, new))
        with pytest.raises(CourseFault, match=words):
            read_exercise(folder)
