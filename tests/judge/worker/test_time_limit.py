"""An X-ray near its limit names the line of the learner's file that was running."""

import os
import subprocess
import sys
import time

import pytest

from tutor.judge.processes import learner_module
from tutor.judge.processes.learner_module import OutOfTime
from tutor.judge.worker import xray_worker
from tutor.judge.worker.xray_worker import Parts, limit_seconds
from tutor.xray.model.stages import Failure

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


def test_a_message_is_sent_whole() -> None:
    sent = []

    def send(part: object) -> None:
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass
        sent.append(part)

    parts = Parts(send)

    def run() -> None:
        parts.add(Failure("", "one"))
        spin()

    with pytest.raises(OutOfTime), limit_seconds("/nowhere/other.py", 0.05, parts):
        run()
    assert len(sent) == 1


def test_wait_for_a_core_does_not_count() -> None:
    """On a core that three others keep busy, 0.2 s of work take longer than the limit by the clock."""
    cores = os.sched_getaffinity(0)
    code = (
        f"import os\nos.sched_setaffinity(0, {{{min(cores)}}})\nprint(flush=True)\nwhile True: pass"
    )
    others = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(3)
    ]
    try:
        for other in others:
            assert other.stdout is not None
            other.stdout.readline()
        os.sched_setaffinity(0, {min(cores)})
        began, until = time.monotonic(), time.thread_time() + 0.2
        with limit_seconds("/nowhere/other.py", 0.4):
            while time.thread_time() < until:
                pass
        assert time.monotonic() - began > 0.4
    finally:
        os.sched_setaffinity(0, cores)
        for other in others:
            other.kill()
            other.communicate()


def test_code_that_computes_is_stopped_early_and_told_what_helps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(xray_worker, "_OWN_SECONDS", 0.05)
    monkeypatch.setattr(xray_worker, "_LOOK_SECONDS", 0.02)
    module = learner_module.load_module(LOOP, "/nowhere/loop.py", "loop")
    with pytest.raises(OutOfTime) as caught, limit_seconds("/nowhere/loop.py", 20.0):
        module.f(0)
    assert "was running, in f. It runs on the CPU here: smaller inputs" in str(caught.value)


def test_a_call_that_dynamo_traces_does_not_count_as_the_code_s_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(xray_worker, "_OWN_SECONDS", 0.05)
    monkeypatch.setattr(xray_worker, "_LOOK_SECONDS", 0.02)
    tracing: dict[str, object] = {}
    exec(
        compile("def trace(f):\n    while True: pass\n", "/t/_dynamo/convert_frame.py", "exec"),
        tracing,
    )
    module = learner_module.load_module("def f(g): g(f)\n", "/nowhere/calls.py", "calls")
    with pytest.raises(OutOfTime) as caught, limit_seconds("/nowhere/calls.py", 0.4):
        module.f(tracing["trace"])
    assert "smaller inputs" not in str(caught.value)
