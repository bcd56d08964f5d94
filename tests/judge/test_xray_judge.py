"""X-rays through the judge's server: before its warm process is ready, after, and stopped midway."""

import threading
import time

import pytest

from tutor.base.errors import UsageError
from tutor.judge.client import Judge
from tutor.judge.model.events import XrayEvent
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Failure, Link, Request, Stage, XrayDone

pytestmark = pytest.mark.slow

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(x_ptr + at, x * 2, mask=at < n)
"""
FUNCTION = """
import torch


def five(x):
    return torch.sigmoid(torch.relu(x * 2 + 1) - 3)
"""


def request(name: str, source: str, *inputs: str, stage: str | None = None) -> Request:
    return Request("/nowhere/learner.py", name, parse_inputs(inputs), "sm_90", stage, False, source)


def names(events: list[XrayEvent]) -> list[str]:
    return [event.name for event in events if isinstance(event, Stage)]


def test_a_kernel_needs_no_warm_process(judge: Judge) -> None:
    events = list(judge.xray(request("double", KERNEL, "f32[64]", "64", "64")))
    assert names(events) == ["triton", "ttir", "ttgir", "llir", "ptx", "sass"]
    assert (type(events[-1]), events[-1].status) == (XrayDone, 0), events[-3:]
    assert any(isinstance(event, Link) for event in events)


def test_what_is_wrong_is_refused_and_the_judge_goes_on(judge: Judge) -> None:
    with pytest.raises(UsageError, match="no target 'sm_2'"):
        list(judge.xray(Request("/l.py", "f", (), "sm_2", None, False, KERNEL)))
    with pytest.raises(UsageError, match="defines no 'triple'; it defines double"):
        list(judge.xray(request("triple", KERNEL)))
    (failure, done) = judge.xray(request("f", "1 / 0\n"))
    assert isinstance(failure, Failure)
    assert done == XrayDone("pretend", 1)


def test_it_can_be_stopped(judge: Judge) -> None:
    threading.Timer(1.0, judge.cancel).start()
    (failure, done) = judge.xray(request("f", "while True: pass\n"))
    assert isinstance(failure, Failure)
    assert "stopped on request" in failure.sentence
    assert done == XrayDone("pretend", 1)


def test_a_warm_process_serves_functions_and_kernels(judge: Judge) -> None:
    judge.wait_warm(mode="lower")
    started = time.perf_counter()
    events = list(judge.xray(request("five", FUNCTION, "f32[1024]")))
    assert (type(events[-1]), events[-1].status) == (XrayDone, 0), events[-3:]
    assert [name for name in names(events) if name in ("source", "wrapper", "sass")] == [
        "source",
        "wrapper",
        "sass",
    ]
    kernels = {e.kernel for e in events if isinstance(e, Stage) and e.name == "ptx"}
    assert len(kernels) == 1  # the whole chain is one kernel
    assert time.perf_counter() - started < 60
    again = list(judge.xray(request("double", KERNEL, "f32[64]", "64", "64", stage="ptx")))
    assert names(again) == ["triton", "ttir", "ttgir", "llir", "ptx"]
