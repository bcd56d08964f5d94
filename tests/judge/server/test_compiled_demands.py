"""What an exercise asks of the compiled kernel: `MATRIX_UNITS`, `MOST_SPILLS`, `ALSO_FOR`."""

import pytest
import torch
from course_answers import wrong_program
from judging import judged

from tutor.base import paths
from tutor.judge.cases import reference
from tutor.judge.reports.verdict_text import format_verdict
from tutor.xray.model.counts.triton import dot_factors, matrix_instructions, matrix_units

without_gpu = pytest.mark.skipif(
    torch.cuda.is_available(), reason="a GPU compiles for itself: no other target is asked"
)


def answer(path: str) -> str:
    return (paths.course_root() / "kernels" / path).read_text("utf-8")


@pytest.mark.slow
@without_gpu
def test_a_strict_product_is_not_on_tensor_cores(judge):
    verdict = judged(judge, wrong_program("gemm_tf32", "strict_float32"), "gemm_tf32")
    assert all(case.passed for case in verdict.cases)
    (finding,) = verdict.diagnosis
    assert finding.code == "no-tensor-cores"
    assert "does not multiply tf32 on tensor cores: it has no instruction" in finding.message


@without_gpu
def test_other_factors_than_asked_for_are_named(judge):
    verdict = judged(judge, wrong_program("gemm_fp16", "factors_in_tf32"), "gemm_fp16")
    (finding,) = verdict.diagnosis
    assert finding.code == "no-tensor-cores"
    assert "its tensor cores multiply tf32" in finding.message


@pytest.mark.slow
@without_gpu
def test_one_product_of_other_factors_is_named_by_its_line(judge):
    source = wrong_program("gemm_tf32", "last_step_strict")
    (finding,) = judged(judge, source, "gemm_tf32").diagnosis
    line = source[: source.index('input_precision="ieee"')].count("\n") + 1
    assert (finding.code, finding.line) == ("no-tensor-cores", line)
    assert f"multiplies fp32 (line {line})" in finding.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "name", "code"),
    [
        ("matmul_tiled", "product_of_zeros", "wrong-values"),
        ("gemm_fp16", "product_that_counts_nothing", "no-tensor-cores"),
    ],
)
def test_a_product_that_adds_nothing_is_no_product(judge, slug, name, code):
    verdict = judged(judge, wrong_program(slug, name), slug)
    assert all(case.passed for case in verdict.cases)
    (finding,) = verdict.diagnosis
    assert finding.code == code
    assert "elements are right as well if every `tl.dot` adds nothing" in finding.message


@pytest.mark.slow
@without_gpu
def test_spilled_registers_are_counted(judge):
    verdict = judged(judge, wrong_program("gemm_tuned", "four_warps"), "gemm_tuned")
    (finding,) = verdict.diagnosis
    assert finding.code == "too-many-resources"
    assert "255 registers are not enough" in finding.message
    assert "at most 0 are allowed" in finding.message


@pytest.mark.slow
@without_gpu
@pytest.mark.parametrize("target", ["sm_80", "sm_100", "gfx942"])
def test_other_targets_have_the_same_units_under_other_names(judge, target):
    verdict = judged(judge, answer("gemm_fp16/solution.py"), "gemm_fp16", target=target)
    assert verdict.passed, verdict.diagnosis
    assert matrix_units(verdict.resources["matrix"]) == ("fp16",)
    assert any(line.strip().startswith("tensor cores: ") for line in format_verdict(verdict))


@pytest.mark.slow
@without_gpu
def test_a_kernel_must_fit_other_gpus_where_the_exercise_names_them(judge):
    verdict = judged(judge, wrong_program("int4_matmul", "thirty_two_warps"), "int4_matmul")
    assert all(case.passed for case in verdict.cases)
    (finding,) = verdict.diagnosis
    assert finding.code == "too-many-resources"
    assert "needs 2048 threads a block, and gfx942 (MI300X) has 1024" in finding.message
    verdict = judged(judge, answer("int4_matmul/solution.py"), "int4_matmul", target="gfx942")
    assert verdict.passed, verdict.diagnosis
    assert verdict.resources["target"] == "gfx942"


def test_factors_are_read_from_the_lines_of_products():
    ttir = """%s = tt.dot %q, %k, %zero : tensor<64x32xf16> * tensor<32x16xf16> -> tensor<64x16xf32>
        %t = tt.dot %w, %v, %s, inputPrecision = tf32 : tensor<4x6xf32> * tensor<6x8xf32> -> …
        %l = tt.load %p : tensor<64x16x!tt.ptr<f32>>
        %u = tt.dot %w, %v, %s : tensor<4x6xf32> * tensor<6x8xf32> -> tensor<4x8xf32> loc(#loc3)
        %h = tt.dot %a, %b, %s, inputPrecision = tf32 : tensor<8x2xbf16> * tensor<2x8xbf16> -> …
        %i = tt.dot %a, %b, %s, inputPrecision = tf32 : tensor<64x64xi8> * tensor<64x64xi8> -> …
    """
    assert dot_factors(ttir) == ((0, "fp16"), (1, "tf32"), (3, "fp32"), (4, "bf16"), (5, "int8"))


def test_units_are_read_from_the_names_of_instructions():
    code = """
        @%p1 wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%f1}, %rd1, %rd2, p, 1, 1;
        wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%f2}, %rd1, %rd2, p, 1, 1;
        mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f1};
        // fma.rn.f32 %f1, %f2, %f3;
    """
    found = matrix_instructions(code)
    assert [name.split(".")[0] for name in found] == ["wgmma", "mma"]
    assert matrix_units(found) == ("fp16", "tf32")
    assert matrix_units(["mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"]) == ("bf16",)
    assert matrix_units(["tcgen05.mma.cta_group::1.kind::f16"]) == ("fp16",)
    assert matrix_units(["v_mfma_f32_32x32x8_f16", "v_mfma_f32_16x16x8_xf32"]) == ("fp16",)
    assert matrix_units(["wgmma.mma_async.sync.aligned.m64n64k32.s32.s8.s8"]) == ("int8",)
    assert matrix_units(["mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32"]) == ("int8",)
    assert matrix_units(["v_mfma_i32_16x16x32_i8", "v_wmma_i32_16x16x16_iu8"]) == ("int8",)
    assert matrix_units([]) == ()


def test_float32_products_of_the_yardstick_follow_the_exercise():
    before = torch.backends.cuda.matmul.allow_tf32
    folder = paths.course_root() / "kernels"
    try:
        for slug, allowed in (("gemm_tf32", True), ("matmul_tiled", False), ("gemm_fp16", False)):
            found = reference.load_reference(folder / slug / "reference.py")
            reference.set_matrix_arithmetic(found)
            assert torch.backends.cuda.matmul.allow_tf32 is allowed
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


@pytest.mark.slow
def test_the_work_of_a_case_is_told_beside_its_traffic(judge):
    # 14 x 14 tiles of 32 x 32 float16 numbers, and each program loads two strips. Waves of 16, in
    # groups of 4 rows: the last group has 2, and programs 168 and on stand in it.
    def tile(program: int) -> tuple[int, int]:
        rows = 4 if program < 168 else 2
        return program // 56 * 4 + program % 56 % rows, program % 56 // rows

    waves = [{tile(p) for p in range(start, min(start + 16, 196))} for start in range(0, 196, 16)]
    strips = sum(len({row for row, _ in wave}) + len({col for _, col in wave}) for wave in waves)
    verdict = judged(judge, answer("gemm_grouped/solution.py"), "gemm_grouped", device="cpu")
    assert verdict.traffic.flops == 2 * 448 * 448 * 32
    assert verdict.traffic.loaded == 196 * 2 * 32 * 32 * 2
    assert verdict.traffic.fetched == strips * 32 * 32 * 2
