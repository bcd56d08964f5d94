"""What is seen in memory of a kernel's accesses: also where masks, addresses and values deceive."""

import pytest

from tutor.judge.client import Judge
from tutor.judge.model.tensor_grid import elements
from tutor.judge.model.witness import WitnessLaunch

HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
"""


def seen(judge: Judge, body: str, call: str) -> WitnessLaunch:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    calls = "".join(f"    {line}\n" for line in call.split("\n"))
    source = f"{HEAD}{lines}\n\ndef add(x, y):\n{calls}    return x\n"
    (launch,) = judge.record_program("vector_add", source, "own.py").witness.launches
    return launch


MAKE = "x, out = torch.zeros(10), torch.zeros(16)\n"


@pytest.mark.slow
def test_a_store_of_what_is_there_already_is_seen(judge: Judge) -> None:
    launch = seen(judge, "tl.store(out + at, 0.0, mask=at < n)", MAKE + "k[(3,)](x, out, 10, B=4)")
    assert launch.grid == (3, 1, 1)
    steps = [step for program in launch.programs for step in program.steps]
    assert [(step.kind, step.lanes, step.parts[0].tensor) for step in steps] == [
        ("store", 4, 1)
    ] * 3
    assert [list(elements(step.parts[0].blocks)) for step in steps] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9],
    ]
    assert launch.arguments[:2] == (("n", "10"), ("B", "4"))


@pytest.mark.slow
def test_lanes_that_are_masked_off_or_meet_are_not_counted_twice(judge: Judge) -> None:
    body = (
        "v = tl.load(x + at, mask=at < n, other=0.0)\n"
        "tl.store(out + at // 2, v)\n"
        "tl.store(out + at, v, mask=at < 0)"
    )
    launch = seen(judge, body, MAKE + "k[(1,)](x, out, 3, B=4)")
    (program,) = launch.programs
    found = [(s.kind, s.lanes, [(p.tensor, p.on) for p in s.parts]) for s in program.steps]
    assert found == [("load", 4, [(0, 3)]), ("store", 4, [(1, 2)]), ("store", 4, [])]


@pytest.mark.slow
def test_elements_are_numbered_by_rows_whatever_the_strides_are(judge: Judge) -> None:
    call = "x, out = torch.zeros(10), torch.zeros(4, 4).t()\nk[(1,)](x, out, 3, B=4)"
    launch = seen(judge, "tl.store(out + at, 1.0)", call)
    ((part,),) = [step.parts for step in launch.programs[0].steps]
    assert list(elements(part.blocks)) == [0, 4, 8, 12]


@pytest.mark.slow
def test_atomic_operations_and_loops_run_as_they_do_unseen(judge: Judge) -> None:
    body = (
        "for start in range(0, n, 2):\n"
        "    tl.atomic_add(out + at, 1.0, mask=at < n)\n"
        "tl.store(x + at, tl.load(out + at), mask=at < n)"
    )
    launch = seen(
        judge, body, MAKE + "k[(1,)](x, out, 5, B=4)\nassert x.tolist() == [3.0] * 4 + [0.0] * 6"
    )
    (program,) = launch.programs
    found = [(s.kind, s.lanes, [(p.tensor, p.on) for p in s.parts]) for s in program.steps]
    assert found == [
        *[("atomic", 4, [(1, 4)])] * 3,
        ("load", 4, [(1, 4)]),
        ("store", 4, [(0, 4)]),
    ]
    assert dict(program.numbers)["start"] == 4
