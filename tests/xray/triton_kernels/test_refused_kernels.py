"""A kernel that a compiler or an assembler refuses: status 1, and the compiler's own reason."""

from pathlib import Path

import pytest
from running import TRITON, run

from tutor.xray.triton_kernels import refusals

FILE = Path(__file__).with_name("refused.py")
MARKS = FILE.read_text("utf-8").split("\n")
SCALED = ("f8e5m2[64,64]", "u8[64,2]", "f8e5m2[64,64]", "u8[64,2]", "f32[64,64]", "S=64")
VECTORS = ("f32[1024]", "f32[1024]", "B=1024")


def line_of(code: str) -> int:
    return next(number for number, line in enumerate(MARKS, 1) if code in line)


def refuse(name: str, *inputs: str, target: str = "sm_90") -> tuple[str, str]:
    """Return the stage that is missing and the sentence."""
    shown = run(FILE, name, *inputs, target=target)
    assert shown.status == 1
    (failure,) = shown.failures
    return failure.stage, failure.sentence


def test_a_type_that_the_target_lacks() -> None:
    inputs = ("bf16[512]", "f8e4m3[512]", "B=128")
    stage, sentence = refuse("narrowed", *inputs, target="sm_80")
    assert stage == "ttir:narrowed"
    assert "has no fp8e4nv; of types of 8 bits it has 'fp8e4b15', 'fp8e5'" in sentence
    assert "from sm_89 on" in sentence
    assert run(FILE, "narrowed", *inputs, target="sm_90").status == 0


def test_a_return_in_a_for_loop() -> None:
    stage, sentence = refuse("left_early", "f32[64]", "64", "B=16")
    assert stage == "ttir:left_early"
    assert "A `return` stands in a loop" in sentence
    assert "CompilationError" not in sentence


@pytest.mark.skipif(TRITON >= (3, 8), reason="this Triton ends the process")
def test_a_return_in_a_while_loop_of_a_callee() -> None:
    """Triton raises one of two errors, by chance; neither says what is wrong."""
    answers = {refuse("calls_it", "i32[8]") for _ in range(4)}
    ((stage, sentence),) = answers
    assert stage == "ttir:calls_it"
    assert "A `return` stands in a loop" in sentence
    assert f"(line {line_of('the line that is named')})" in sentence


@pytest.mark.skipif(TRITON >= (3, 8), reason="this Triton compiles it")
def test_what_a_pass_printed_is_said() -> None:
    stage, sentence = refuse("scaled", *SCALED, target="gfx942")
    assert stage == "llir:scaled"
    assert "Unsupported DotScaleOp found when converting TritonGPU to LLVM" in sentence
    assert "block pointer" not in sentence


def test_code_for_another_vendor_is_assembled_and_refused() -> None:
    shown = run(FILE, "processor", "i32[64]", target="gfx942")
    assert shown.status == 1
    assert list(shown.stages)[-1] == "amdgcn:processor", "the text that was refused is shown"
    (failure,) = shown.failures
    assert failure.stage == "hsaco:processor"
    text = shown.stages["amdgcn:processor"].text.splitlines()
    number = next(n for n, line in enumerate(text, 1) if "%smid" in line)
    assert "refused the kernel: invalid instruction, at `mov.u32" in failure.sentence
    where = f"line {number} of the stage amdgcn, made of line {line_of('%smid')} of the file"
    assert where in failure.sentence
    assert run(FILE, "processor", "i32[64]").status == 0


def test_an_instruction_of_a_later_gpu_has_its_place() -> None:
    stage, sentence = refuse("waits", *VECTORS, target="sm_80")
    assert stage == "sass:waits"
    assert ".wait' requires .target sm_90 or higher" in sentence
    assert f"made of line {line_of('gdc_wait')} of the file" in sentence


def test_reasons_are_read_from_what_was_printed() -> None:
    printed = """/a/b.py:12:4: error: 'scf.while' op expects one block
    while p < 5:
    ^
/a/b.py:2:0: error: Failures have been detected while processing an MLIR pass pipeline
error: invalid instruction
        mov.u32 s0, %smid;
        ^
ld.lld: error: target emulation unknown: -m or at least one .o file required
LLVM ERROR: Unsupported thing found.
"""
    of_triton_3_9 = (
        "triton-amdgpu-assembler:4:2: error: invalid instruction\n\tmov.u32 v0, %smid\n\t^"
    )
    assert refusals.find_reasons(of_triton_3_9) == (
        "error: invalid instruction, at `mov.u32 v0, %smid`",
    )
    assert refusals.find_reasons(printed) == (
        "/a/b.py:12:4: error: 'scf.while' op expects one block",
        "error: invalid instruction, at `mov.u32 s0, %smid;`",
        "error: Unsupported thing found",
    )
    assert refusals.find_reasons("warning: nothing\n") == refusals.find_reasons("") == ()


def test_a_pass_that_gives_no_reason_is_named() -> None:
    printed = """/a/b.py:3:0: error: Failures have been detected while processing an MLIR pass pipeline
/a/b.py:3:0: note: Pipeline failed while executing [`TritonGPUPipeline` on 'builtin.module' operation]: \
reproducer generated at `std::errs, please share the reproducer above with Triton project.`
"""
    assert refusals.find_reasons(printed) == ("pass without a reason: TritonGPUPipeline",)
    reason = "/a/b.py:12:4: error: 'scf.while' op expects one block\n"
    assert refusals.find_reasons(reason + printed) == (reason.strip(),)


@pytest.mark.skipif(TRITON != (3, 7), reason="tried with Triton 3.7, whose pass this is")
def test_a_kernel_on_which_a_pass_fails() -> None:
    stage, sentence = refuse("inserts", "i32[256]", "100", "B=128")
    assert stage == "ttgir:inserts"
    assert "`TritonGPURemoveLayoutConversions` failed on the kernel and gave no reason" in sentence


def test_a_function_of_a_kernel_that_is_given_pointers() -> None:
    stage, sentence = refuse("multiplies", "f16[32,32]", "f16[32,32]", "f32[32,32]")
    assert stage == "ttir:multiplies"
    assert "`product` of this file calls it, and may give it tiles. Triton says: " in sentence
    assert "equal ranks >= 2" in sentence
    assert "tl.sum" not in sentence
    _, sentence = refuse("names_what_is_missing", "f16[32,32]")
    assert "MISSING" in sentence
    assert "may give it tiles" not in sentence
    _, sentence = refuse("doubles", "3", "f16[32]")
    assert sentence.endswith("; `product` of this file calls it")
    assert "`doubles` returns a value, which no launch takes (line" in sentence
