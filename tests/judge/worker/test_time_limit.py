"""An X-ray near its limit names the line of the learner's file that was running."""

import pytest

from tutor.judge.processes import learner_module
from tutor.judge.processes.learner_module import OutOfTime
from tutor.judge.worker.xray_worker import limit_seconds

LOOP = """
def f(x):
    while True:
        x += 1
"""


def stopped(path: str, run) -> str:
    with pytest.raises(OutOfTime) as caught, limit_seconds(path, 0.05):
        run()
    return str(caught.value)


def spin() -> None:
    while True:
        pass


def test_endless_call() -> None:
    module = learner_module.load_module(LOOP, "/nowhere/loop.py", "loop")
    said = stopped("/nowhere/loop.py", lambda: module.f(0))
    assert said.endswith("was running, in f")
    assert "line 3 (`while True:`)" in said or "line 4 (`x += 1`)" in said


def test_endless_import() -> None:
    path = "/nowhere/import.py"
    said = stopped(path, lambda: learner_module.load_module("while True: pass", path, "endless"))
    assert "line 1 (`while True: pass`) was running, while the file was loaded" in said


def test_torch_at_work_and_no_limit() -> None:
    assert "no line of other.py" in stopped("/nowhere/other.py", spin)
    with limit_seconds("/nowhere/other.py", -1.0):
        pass
