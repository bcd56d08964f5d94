"""What an exercise asks of how its kernels work: each demand is told with the line that breaks it."""

import pytest
import torch
from course_answers import wrong_program
from judging import judged

from tutor.base import paths
from tutor.judge.model.verdict import Diagnosis

without_gpu = pytest.mark.skipif(
    torch.cuda.is_available(), reason="a GPU compiles for itself: no other target is asked"
)


def finding(judge, source: str, slug: str) -> Diagnosis:
    """The one finding of a program whose cases are all right."""
    verdict = judged(judge, source, slug, device="cpu")
    assert all(case.passed for case in verdict.cases)
    assert not verdict.passed
    (found,) = verdict.diagnosis
    return found


def line_of(source: str, text: str) -> int:
    return next(n for n, row in enumerate(source.split("\n"), 1) if text in row)


def test_a_block_over_the_whole_row_is_too_wide(judge):
    source = wrong_program("row_sum", "whole_row_at_once")
    found = finding(judge, source, "row_sum")
    launch = line_of(source, "BLOCK=triton.next_power_of_2")
    assert (found.code, found.line) == ("too-wide-block", launch)
    assert (
        f"by line {launch} (`BLOCK`) each program of `row_sum_kernel` loads a block"
        in found.message
    )
    assert f"65,536 lanes at once (line {line_of(source, 'tl.load(')}, case" in found.message
    assert found.message.endswith("at most 4096 are allowed.")


def test_a_row_read_again_by_its_program_is_told(judge):
    source = wrong_program("row_softmax", "online_in_two_loops")
    found = finding(judge, source, "row_softmax")
    assert found.code == "too-much-traffic"
    assert found.line
    assert found.line > line_of(source, "tl.load(")
    assert "loads `x_ptr[" in found.message
    assert f"and has loaded it in line {line_of(source, 'tl.load(')}" in found.message


def test_a_row_is_read_again_from_a_copy_too(judge):
    source = wrong_program("layer_norm", "loops_over_blocks")
    assert "x.contiguous()" in source
    assert "Once is enough" in finding(judge, source, "layer_norm").message


def test_an_idle_program_of_the_last_launch_is_counted(judge):
    source = wrong_program("two_stage_sum", "second_program_is_idle")
    found = finding(judge, source, "two_stage_sum")
    assert (found.code, found.line) == ("wrong-values", line_of(source, "sum_of_partials[(2,)]"))
    assert "of `sum_of_partials`, starts 2 programs" in found.message
    assert found.message.endswith("one is allowed.")


def test_a_launch_too_many_is_counted(judge):
    found = finding(judge, wrong_program("fma", "a_launch_for_each_half"), "fma")
    assert found.code == "wrong-values"
    assert "takes 2 launches of kernels; one is allowed." in found.message


def test_a_copy_by_pytorch_is_told(judge):
    source = (paths.course_root() / "kernels/transpose/solution.py").read_text("utf-8")
    row = "    rows, columns = x.shape\n"
    assert row in source
    copied = source.replace(row, f"    x = x.contiguous()\n{row}")
    found = finding(judge, copied, "transpose")
    assert found.code == "too-much-traffic"
    assert "PyTorch copied elements outside of the kernel (`torch.clone`, in the case" in (
        found.message
    )


@pytest.mark.slow
@without_gpu
def test_products_added_in_half_precision_are_read_off_the_compiled_code(judge):
    source = (paths.course_root() / "kernels/gemm_fp16/solution.py").read_text("utf-8")
    assert "acc = tl.dot(x, y, acc)" in source
    narrow = source.replace("acc = tl.dot(x, y, acc)", "acc += tl.dot(x, y, out_dtype=tl.float16)")
    found = finding(judge, narrow, "gemm_fp16")
    assert (found.code, found.line) == ("low-precision", line_of(narrow, "out_dtype"))
    assert "`gemm_kernel` adds up in float16" in found.message


@without_gpu
def test_sums_in_double_precision_are_read_off_the_compiled_code(judge):
    source = wrong_program("running_total", "sums_in_float64")
    found = finding(judge, source, "running_total")
    assert (found.code, found.line) == ("wrong-values", line_of(source, "total += tl.load"))
    assert "`running_total_kernel` adds up in float64" in found.message


def test_lanes_that_store_to_one_element_are_told(judge):
    source = wrong_program("add_and_square", "lanes_past_the_end_take_the_last_element")
    found = finding(judge, source, "add_and_square")
    assert found.code == "too-much-traffic"
    assert "which lanes have no element of their own?" in found.message


@pytest.mark.slow
@without_gpu
def test_a_product_without_tiles_is_read_off_the_compiled_code(judge):
    found = finding(judge, wrong_program("matmul_tiled", "outer_products"), "matmul_tiled")
    assert "`matmul_kernel` multiplies no tiles: compiled, it has no `tl.dot`." in found.message


@pytest.mark.slow
def test_lanes_that_are_no_neighbours_touch_whole_sectors(judge):
    found = finding(judge, wrong_program("transpose", "a_row_a_program"), "transpose")
    assert found.code == "too-much-traffic"
    assert "“two primes” touch sectors of" in found.message
    assert f"where the elements are {round(2 * 1031 * 47 * 4 / 1000)} kB" in found.message


def test_an_atomic_operation_is_told_with_its_line(judge):
    source = wrong_program("two_stage_sum", "atomics")
    found = finding(judge, source, "two_stage_sum")
    assert found.line == line_of(source, "tl.atomic_add")
    assert "changes `out_ptr` by an atomic operation" in found.message


@pytest.mark.slow
def test_masks_in_every_block_are_counted(judge):
    found = finding(judge, wrong_program("flash_fp16", "every_block_masked"), "flash_fp16")
    assert "100% of the bytes that “256 tokens of 64” loads are loaded through a mask" in (
        found.message
    )


@pytest.mark.slow
def test_a_known_key_fills_nothing(judge):
    found = finding(judge, wrong_program("autotuned", "result_begins_with_anything"), "autotuned")
    assert found.code == "wrong-values"
    assert "wrong when called once more" in found.message
