"""What passes the interpreter is compiled for the learner's GPU: limits, refusals, what is shown."""

import pytest
import torch
from course_answers import wrong_program
from judging import KERNEL, RIGHT, TRITON, first_code, judged

from tutor.base.errors import UsageError
from tutor.judge.client import Progress, Submission
from tutor.judge.model.verdict import CaseResult, Verdict
from tutor.judge.reports.report import Report
from tutor.judge.reports.verdict_text import format_verdict
from tutor.ui.verdict.verdict_view import verdict_lines

pytestmark = pytest.mark.skipif(
    torch.cuda.is_available(), reason="a GPU compiles for itself: no other target is asked"
)


def line_of(source: str, text: str) -> int:
    return source[: source.index(text)].count("\n") + 1


def test_a_right_kernel_shows_what_it_needs(judge):
    verdict = judged(judge, RIGHT)
    assert verdict.passed
    needs = verdict.resources
    assert (needs["target"], needs["kernel"], needs["warps"]) == ("sm_90", "add_kernel", 4)
    assert 8 <= needs["registers"] < 100
    assert needs["spills"] == needs["shared_bytes"] == 0
    assert needs["occupancy"]["warps_per_sm"] == 64
    said = "\n".join(format_verdict(verdict))
    assert f"{needs['registers']} registers a thread" in said
    assert "occupancy 100%: 64 of 64 warps an SM" in said
    pane = verdict_lines(Report().after(verdict), 80).plain
    assert "add_kernel on sm_90" in pane
    assert "occupancy 100%" in pane


def test_the_frames_own_arrays_are_no_spills(judge):
    """The slow path of a sine, for large arguments, keeps an array of 32 bytes in the frame."""
    verdict = judged(judge, RIGHT.replace("x + y", "tl.where(tl.sin(x) > 5.0, 0.0, x + y)"))
    assert verdict.passed, verdict.diagnosis
    needs = verdict.resources
    assert needs["spills"] == 0
    if TRITON >= (3, 9):
        pytest.skip("this ptxas keeps it in registers")
    assert needs["stack_bytes"] > 0
    said = "\n".join(format_verdict(verdict))
    assert f"0 spills, {needs['stack_bytes']} B of stack" in said
    # the second time it comes from Triton's cache
    assert (
        judged(judge, RIGHT.replace("x + y", "tl.where(tl.sin(x) > 5.0, 0.0, x + y)")).resources
        == needs
    )


def test_correct_is_said_before_anything_is_compiled(judge):
    events = list(judge.submit(Submission("vector_add", RIGHT, "a.py", timing=False)))
    at = [i for i, e in enumerate(events) if e == Progress("compiling for sm_90")]
    assert len(at) == 1
    last_case = max(i for i, e in enumerate(events) if isinstance(e, CaseResult))
    assert last_case < at[0]
    verdict = events[-1]
    assert isinstance(verdict, Verdict)
    assert verdict.latency_ms.correct < verdict.latency_ms.total


@pytest.mark.parametrize(("target", "registers"), [("sm_80", 255), ("gfx942", 512)])
def test_other_targets(judge, target, registers):
    verdict = judged(judge, RIGHT, target=target)
    assert verdict.passed
    assert verdict.resources["target"] == target
    assert 0 < verdict.resources["registers"] <= registers
    assert ("occupancy" in verdict.resources) == (target == "sm_80")


def test_an_unknown_target_is_refused(judge):
    with pytest.raises(UsageError, match="no target 'sm_1'"):
        judged(judge, RIGHT, target="sm_1")


@pytest.mark.slow
def test_a_kernel_that_asks_for_too_much_shared_memory(judge):
    source = wrong_program("tiled_matmul", "sixteen_stages")
    verdict = judged(judge, source, "tiled_matmul")
    assert all(case.passed for case in verdict.cases)
    assert not verdict.passed
    assert first_code(verdict) == "too-many-resources"
    finding = verdict.diagnosis[0]
    assert finding.line == line_of(source, "matmul_kernel[")
    assert "sm_90 (H100) has 232448" in finding.message
    assert "works in the interpreter" in finding.message
    assert any("All 20 cases are right" in line for line in format_verdict(verdict))


def test_too_many_warps_for_a_block(judge):
    source = RIGHT.replace("n, BLOCK=BLOCK)", "n, BLOCK=BLOCK, num_warps=64)")
    verdict = judged(judge, source)
    assert first_code(verdict) == "too-many-resources"
    assert "2048 threads a block" in verdict.diagnosis[0].message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("exercise", "name", "where"),
    [
        ("tiled_matmul", "eight_along_k", "acc = tl.dot"),
        ("vector_add", "a_dictionary_in_the_kernel", "loaded = {}"),
    ],
)
def test_what_the_compiler_refuses(judge, exercise, name, where):
    source = wrong_program(exercise, name)
    verdict = judged(judge, source, exercise)
    assert all(case.passed for case in verdict.cases)
    assert first_code(verdict) == "compile-error"
    assert verdict.diagnosis[0].line == line_of(source, where)
    assert "Triton does not compile it for sm_90" in verdict.diagnosis[0].message


WALK = """
import torch, triton, triton.language as tl

@triton.jit
def walk(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    y = tl.make_block_ptr(y_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    out = tl.make_block_ptr(out_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    LOOP
        total = tl.load(x, boundary_check=(0,)) + tl.load(y, boundary_check=(0,))
        tl.store(out, total, boundary_check=(0,))
        x, y, out = tl.advance(x, (BLOCK,)), tl.advance(y, (BLOCK,)), tl.advance(out, (BLOCK,))

def add(x, y):
    out = torch.empty_like(x)
    walk[(1,)](x, y, out, x.numel(), BLOCK=1024)
    return out
"""


@pytest.mark.skipif(TRITON >= (3, 9), reason="this Triton has no block pointers")
def test_block_pointers_advance_in_a_for_loop_and_not_in_a_while_loop(judge):
    assert judged(judge, WALK.replace("LOOP", "for start in range(0, n, BLOCK):")).passed
    counted = WALK.replace("    LOOP", "    left = n\n    while left > 0:\n        left -= BLOCK")
    verdict = judged(judge, counted)
    assert all(case.passed for case in verdict.cases)
    if TRITON >= (3, 8):  # compiles it
        assert verdict.passed, verdict.diagnosis
        return
    assert first_code(verdict) == "compile-error"
    assert "cannot advance in a `while` loop" in verdict.diagnosis[0].message


def test_a_kernel_made_in_the_call_is_not_compiled_and_that_is_said(judge):
    made = KERNEL.replace("@triton.jit\ndef add_kernel", "def add_kernel")
    made = made.replace("    add_kernel[(", "    triton.jit(add_kernel)[(")
    verdict = judged(judge, made + "def add(x, y):\n    return launched(x, y)\n")
    assert verdict.passed
    assert "not made when the file is loaded" in verdict.resources["note"]
    assert any("not made when" in line for line in format_verdict(verdict))


@pytest.mark.slow
def test_each_kernel_and_the_ends_of_each_are_compiled(judge):
    block = "BLOCK=min(4096, max(16, triton.next_power_of_2(n))))"
    launch = "(triton.cdiv(n, BLOCK),)"
    assert launch in RIGHT
    source = RIGHT.replace(launch, "(triton.cdiv(n, 4096),)").replace("BLOCK=BLOCK)", block)
    verdict = judged(judge, source)
    assert verdict.passed, verdict.diagnosis
    blocks = [int(each["variant"].split("=")[1]) for each in verdict.resources["kernels"]]
    assert 16 in blocks
    assert max(blocks) >= 4096
    assert len(blocks) == len(set(blocks)) <= 8
