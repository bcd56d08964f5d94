"""A judge that stays warm sees what an author changes in an exercise's files."""

import os
import shutil
from pathlib import Path

from judging import judged

from tutor.base import paths
from tutor.judge.client import Judge

TASK = """\
title = "Multiply"
day = 22
order = 1
kind = "function"
entry = "multiply(x)"
minutes = 5
task = "Multiply."
hints = ["a", "b", "c", "d"]
"""
REFERENCE = """\
import runpy
from pathlib import Path

import torch
from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))


def reference(x):
    return x * PROBE["FACTOR"]


eager = reference


def work(x):
    return Work(bytes=8 * x.numel(), flops=x.numel())


def scale(x):
    return reference(x).double().abs()


CASES = tuple(Case(f"{n} numbers", lambda g, n=n: (torch.randn(n, generator=g),)) for n in (3, 8))
TIMING = CASES[-1]
"""
PROBE = "FACTOR = {factor}\n\n\ndef probe(module, device):\n    return {{}}\n"


def test_a_probe_that_the_reference_reads_is_read_again_once_it_changes(
    home: Path, tmp_path: Path
) -> None:
    for room in ("kernels", "lessons", "quizzes"):
        (tmp_path / room).mkdir()
    shutil.copy(paths.course_root() / "lessons" / "outline.toml", tmp_path / "lessons")
    folder = tmp_path / "kernels" / "multiply"
    folder.mkdir()
    (folder / "exercise.toml").write_text(TASK)
    (folder / "reference.py").write_text(REFERENCE)
    twice = "def multiply(x):\n    return x * 2\n"
    for name in ("solution.py", "starter.py"):
        (folder / name).write_text(twice)
    probe = folder / "probe.py"
    probe.write_text(PROBE.format(factor=2))
    with Judge(tmp_path) as judge:
        assert judged(judge, twice, "multiply").passed
        probe.write_text(PROBE.format(factor=3))
        os.utime(probe, ns=(0, 0))  # another time than before, whatever the clock's steps
        assert not judged(judge, twice, "multiply").passed
