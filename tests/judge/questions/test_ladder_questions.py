"""Questions that the ladder answers: each from two places, and not asked where the two differ."""

from dataclasses import replace

import pytest

from tutor.course.catalog.course import open_course
from tutor.judge.client import Judge
from tutor.judge.computed_questions import Compiled
from tutor.judge.questions.ladder_questions import (
    Held,
    LoweredKernel,
    Wait,
    draw_wait_question,
    draw_warps_question,
    find_held_by_layout,
    find_held_by_loads,
    find_kernels,
    find_waits_by_barriers,
    find_waits_by_registers,
    put_warps,
)
from tutor.judge.questions.program_question import Drawn, StagePlace
from tutor.quiz.grading import grade
from tutor.xray.model.control_codes import Control
from tutor.xray.model.stages import Link, Stage

TRITON = """\
@triton.jit
def k(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    a = tl.load(x + at)
    at += 1
    tl.store(
        out + at, a + 1)
"""
SASS = """\
        /*0000*/                   LDG.E.64 R4, desc[UR4][R2.64] ;
        /*0010*/                   IADD3 R7, R7, 0x1, RZ ;
        /*0020*/                   FADD R8, R5, 1 ;
        /*0030*/                   STG.E desc[UR4][R6.64], R8 ;
        /*0040*/                   EXIT ;
"""
CONTROLS = (
    Control(1, 1, result=0),
    Control(2, 4),
    Control(3, 4, waits=(0,)),
    Control(4, 1),
    Control(5, 5),
)
SIZES = "sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]"
LAYOUT = f"#b = #ttg.blocked<{{{SIZES}}}>"
TTGIR = f"{LAYOUT}\n    %1 = tt.load %0 : tensor<512x!tt.ptr<f32>, #b>\n"
PTX = "    ld.global.v2.b32 { %r1, %r2 }, [ %rd1 + 0 ];\n    ld.global.v2.b32 { %r3, %r4 }, [ %rd2 ];\n"
LINES = {
    ("sass", 1): 4,
    ("sass", 2): 5,
    ("sass", 3): 7,
    ("sass", 4): 7,
    ("ttgir", 2): 4,
    ("ptx", 1): 4,
    ("ptx", 2): 4,
}


def lowered(sass: str = SASS, ttgir: str = TTGIR, ptx: str = PTX, warps: int = 4) -> LoweredKernel:
    stages = (
        Stage("triton", "Triton", "python", TRITON, kernel="k"),
        Stage("ttgir", "TTGIR", "ttgir", ttgir, kernel="k"),
        Stage("ptx", "PTX", "ptx", ptx, kernel="k"),
        Stage(
            "sass",
            "SASS",
            "sass",
            sass,
            kernel="k",
            counts=(("num_warps", warps),),
            controls=CONTROLS,
        ),
    )
    links = [Link("triton:k", to, f"{name}:k", line) for (name, line), to in LINES.items()]
    (kernel,) = find_kernels(stages, links)
    return kernel


def test_barriers_and_registers_find_the_same_line() -> None:
    kernel = lowered()
    assert find_waits_by_barriers(kernel) == {4: Wait(4, 7, 3)}
    assert find_waits_by_registers(kernel) == {4: Wait(4, 7, 3)}
    (asked,) = draw_wait_question("says:k:1", 1, [kernel], "sm_90", "f32[8]", "1").questions
    question = asked.question
    assert question.kind == "line"
    assert "Line 4 asks memory for a tile" in question.prompt
    assert question.code == TRITON.rstrip("\n")
    assert [grade(question, line).right for line in (4, 5, 6, 7)] == [False, False, True, True]
    assert "only asks for memory" in grade(question, 4).feedback
    assert "`FADD R8, R5, 1`" in question.explanation
    assert "lines 6 to 7" in question.explanation
    assert asked.place == StagePlace("sass:k", 3)


@pytest.mark.parametrize(
    "sass",
    [
        SASS.replace("IADD3 R7, R7", "IADD3 R7, R4"),  # another line uses it first
        SASS.replace("IADD3 R7, R7, 0x1, RZ", "@P0 BRA `(.L_x_1)"),  # the way is not straight
    ],
)
def test_a_line_on_which_the_two_differ_is_not_asked(sass: str) -> None:
    kernel = lowered(sass)
    drawn = draw_wait_question("says:k:1", 1, [kernel], "sm_90", "f32[8]", "1")
    assert drawn.questions == ()
    assert drawn.disagreed == ("BRA" not in sass)


def test_a_line_that_waits_for_its_own_load_is_not_asked() -> None:
    kernel = lowered()
    same = replace(kernel, lines={**kernel.lines, ("sass", 3): frozenset({4})})
    assert draw_wait_question("says:k:1", 1, [same], "sm_90", "f32[8]", "1").questions == ()


def test_a_load_that_a_line_without_instructions_uses_first_is_not_asked() -> None:
    kernel = lowered()
    text = TRITON.replace("    at += 1\n", "    a = a.to(tl.float32)\n")
    cast = Stage("triton", "Triton", "python", text, kernel="k")
    changed = replace(kernel, stages={**kernel.stages, "triton": cast})
    assert find_waits_by_barriers(changed) == {4: Wait(4, 7, 3)}
    assert draw_wait_question("says:k:1", 1, [changed], "sm_90", "f32[8]", "1").questions == ()


def test_layout_and_loads_count_what_a_thread_holds() -> None:
    kernel = lowered()
    assert find_held_by_layout(kernel) == {4: Held(4, 4, 512)}
    assert find_held_by_loads(kernel, {4: 32}) == {4: 4}
    more = lowered(
        ttgir=TTGIR.replace("warpsPerCTA = [4]", "warpsPerCTA = [8]"),
        ptx=PTX.split("\n")[0] + "\n",
        warps=8,
    )
    drawn = draw_warps_question("says:k:1", 1, kernel, more, "sm_90", "f32[512]", "1")
    (asked,) = drawn.questions
    assert asked.question.answer == 2
    assert "A program has 4 warps of 32 threads, and each thread loads 4" in asked.question.prompt
    assert "with `num_warps = 8`?" in asked.question.prompt
    assert "with 4 warps" in grade(asked.question, "4").feedback
    wrong = lowered(ttgir=more.stages["ttgir"].text, warps=8)
    drawn = draw_warps_question("says:k:1", 1, kernel, wrong, "sm_90", "f32[512]", "1")
    assert (drawn.questions, drawn.disagreed) == ((), 1)


def test_a_layout_that_gives_threads_more_than_their_share_is_not_asked() -> None:
    small = (TTGIR.replace("tensor<512x", "tensor<128x"), PTX.split("\n")[0] + "\n")
    kernel, more = lowered(ttgir=small[0], ptx=small[1]), lowered(*(SASS, *small), warps=8)
    assert find_held_by_layout(kernel) == {4: Held(4, 2, 128)}
    drawn = draw_warps_question("says:k:1", 1, kernel, more, "sm_90", "f32[128]", "1")
    assert drawn == Drawn(())


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        ("k[(4,)](x, B=8)", "k[(4,)](x, B=8, num_warps=8)"),
        ("k[(4,)](x, num_warps=w, B=8)", "k[(4,)](x, num_warps=8, B=8)"),
        ("k[grid](\n    x,  # é\n)", "k[grid](\n    x, num_warps=8,  # é\n)"),
        ("é = k[(1,)](x)", "é = k[(1,)](x, num_warps=8)"),
        ("k[(4,)](x, **more)", None),
        ("k[(4,)](x)\nk[(2,)](x)", None),
        ("other[(4,)](x)", None),
        ("k[(4,)](", None),
    ],
)
def test_warps_are_put_into_the_only_launch(call: str, changed: str | None) -> None:
    assert put_warps(call, "k", 8) == changed


@pytest.mark.slow
def test_the_line_that_waits_in_a_solution(judge: Judge) -> None:
    exercise = open_course().exercise("vector_add")
    source = exercise.solution.read_text()
    compiled = Compiled(judge, exercise, source, "vector_add.py", "sm_90")
    (waits,) = compiled.draw("waits", "says:vector_add:1", "1").questions
    row = waits.question.code.split("\n")[waits.question.answer - 1]
    assert row.strip().startswith("tl.store(out_ptr + offsets, x + y")
    (warps,) = compiled.draw("warps", "says:vector_add:1", "1").questions
    assert warps.question.answer == 1024 // (8 * 32)
