"""`tutor.xray.offline`, which cells of lessons import: kernels and functions compiled without a GPU."""

import pytest
import torch
import triton
import triton.language as tl

from tutor.base.errors import UsageError
from tutor.xray.offline import lower
from tutor.xray.triton_kernels.compiler import never_interpret

never_interpret()


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)


def test_a_kernel_has_its_stages_and_counts():
    made = lower(double, "f32[4096]", "f32[4096]", 4096, BLOCK=1024, num_warps=8)
    assert made.kernels == ("double",)
    assert made.counts["ptx.global_loads"] == 1  # four lanes share a load: n is a multiple of 16
    assert made.counts["registers"] > 0
    assert made.counts["num_warps"] == 8
    assert "ld.global.v4" in made.text("ptx")
    assert "LDG.E.128" in made.text("sass")
    odd = lower(double, "f32[4096]", "f32[4096]", 4095, BLOCK=1024, num_warps=8)
    assert odd.counts["ptx.global_loads"] == 4


def test_what_cannot_be_made_says_why():
    with pytest.raises(UsageError, match="needs a value for n"):
        lower(double, "f32[64]", "f32[64]", BLOCK=64)
    with pytest.raises(RuntimeError, match="CompilationError") as raised:
        lower(double, "f32[64]", "f32[64]", 64, BLOCK=60)
    assert "power of 2" in str(raised.value.__cause__)


@pytest.mark.slow
def test_a_function_has_the_kernels_of_inductor():
    made = lower(lambda x: torch.softmax(x, -1) + 1, "f32[64,128]", target="H100")
    assert len(made.kernels) == 1
    assert "tl.store" in made.text("triton", made.kernels[0])
    with pytest.raises(ValueError, match="no stage sass; there are source, "):
        made.text("sass")


def test_a_pass_is_left_out():
    given = (double, "f32[4096]", "f32[4096]", 4096)
    made = lower(*given, without="coalesce", BLOCK=1024)
    assert made.counts["sass.load_bits"] == 32
    assert lower(*given, BLOCK=1024).counts["sass.load_bits"] == 128
    with pytest.raises(UsageError, match="'warp_specialise' is no pass"):
        lower(*given, without="warp_specialise", BLOCK=1024)
    with pytest.raises(UsageError, match="left out of kernels"):
        lower(lambda x: x + 1, "f32[64]", without="coalesce")
