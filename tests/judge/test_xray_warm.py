"""The warm process of X-rays: what it has done by then, and that it left the GPU alone."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tutor.judge.client import environment

pytestmark = pytest.mark.slow

# Warms as the template does, then answers in a fork of itself, as a worker does.
SCRIPT = """
import json, os, sys, time
import torch
torch.set_num_threads(1)
from tutor.judge.worker import xray_worker
from tutor.xray import engine
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Failure, Request, Stage
from tutor.judge.processes.worker_messages.questions import RunXray

rehearsed, run = [], engine.run_request

def noted(request, emit, **more):
    events = []
    run(request, events.append, **more)
    rehearsed.append([getattr(event, "name", "failure") for event in events
                      if not hasattr(event, "target")])

engine.run_request = noted
path = list(sys.path)
xray_worker.warm_compilers()
engine.run_request = run
told = {"opened": torch.cuda.is_initialized(), "rehearsed": rehearsed, "path": path == sys.path}
read, write = os.pipe()
if os.fork() == 0:
    parts = []
    source = "import torch\\ndef five(x):\\n    return torch.sigmoid(torch.relu(x * 2 + 1) - 3)\\n"
    request = Request("/l.py", "five", parse_inputs(("f32[1024]",)), "TARGET", None, True, source)
    began = time.process_time()
    reply = xray_worker.answer(RunXray(request, 64 << 30), parts.append)
    found = {"reply": vars(reply), "seconds": time.process_time() - began,
             "stages": [part.name for part in parts if isinstance(part, Stage)],
             "failures": [part.sentence for part in parts if isinstance(part, Failure)],
             "available": torch.cuda.is_available()}
    if found["available"]:
        found["sum"] = torch.ones(8, device="cuda").sum().item()
    os.write(write, json.dumps(found).encode())
    os._exit(0)
os.close(write)
with os.fdopen(read) as answer:
    print(json.dumps({**told, "child": json.load(answer)}))
"""


def warmed(target: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.replace("TARGET", target)],
        capture_output=True,
        text=True,
        timeout=300,
        env=environment(),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return warmed("sm_90")


GPU = Path("/dev/nvidiactl").exists()


@pytest.mark.skipif(GPU, reason="a function is not rehearsed where a GPU could be opened")
def test_functions_have_been_lowered(found: dict[str, Any]) -> None:
    forward, *training = found["rehearsed"]
    assert "ptx" in forward
    assert "log" in forward
    assert "failure" not in forward
    assert len(training) == (torch.version.cuda is None)  # see `test_rehearsals.py`
    for stages in training:
        assert {"joint", "backward", "triton"} <= set(stages)
        assert "failure" not in stages
    assert found["path"]


def test_it_has_not_opened_the_gpu(found: dict[str, Any]) -> None:
    """A child of a process that has cannot use it ("Cannot re-initialize CUDA in forked subprocess")."""
    assert found["opened"] is False
    child = found["child"]
    assert child["failures"] == []
    assert child["reply"]["status"] == 0
    assert {"source", "joint", "wrapper", "sass", "log"} <= set(child["stages"])
    if child["available"]:
        assert child["sum"] == 8.0


@pytest.mark.skipif(GPU, reason="a function is not rehearsed where a GPU could be opened")
def test_a_fork_pays_for_nothing_that_was_rehearsed(found: dict[str, Any]) -> None:
    """A training step of five operations: 0.5 s of this process's time, 4 s without the rehearsal."""
    assert found["child"]["seconds"] < 2.0


def test_the_real_device_is_still_there_for_a_fork() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    major, minor = torch.cuda.get_device_capability()
    child = warmed(f"sm_{major}{minor}")["child"]
    assert child["failures"] == []
    assert child["reply"] == {"device": "real", "status": 0}
