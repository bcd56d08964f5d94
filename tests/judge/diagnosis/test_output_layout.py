"""An output that keeps the layout of a view, under a kernel that stores to neighbours."""

import pytest
from judging import RIGHT, first_code, judged

KEPT = RIGHT.replace(
    "torch.empty(x.shape, dtype=x.dtype, device=x.device)", "torch.empty_like(given)"
)
KEPT = KEPT.replace("    x, y = x", "    given = x\n    x, y = x")
ASSUMED = RIGHT.replace("    x, y = x.contiguous(), y.contiguous()\n", "")
FMA = """\
import torch
import triton
import triton.language as tl


@triton.jit
def fma_kernel(a_ptr, b_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    a = tl.load(a_ptr + offsets, mask=mask)
    b = tl.load(b_ptr + offsets, mask=mask)
    c = tl.load(c_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.fma(a, b, c), mask=mask)


def fma(a, b, c):
    out = torch.empty_like(a)
    a, b, c = a.contiguous(), b.contiguous(), c.contiguous()
    n = out.numel()
    fma_kernel[(triton.cdiv(n, 1024),)](a, b, c, out, n, BLOCK=1024)
    return out
"""


@pytest.mark.parametrize(("exercise", "source"), [("vector_add", KEPT), ("fma", FMA)])
def test_inputs_that_were_copied_are_not_blamed(judge, exercise, source):
    verdict = judged(judge, source, exercise, device="cpu")
    assert first_code(verdict) == "wrong-stride", verdict.diagnosis
    message = verdict.diagnosis[0].message
    assert "`torch.empty_like` of a view keeps the view's layout" in message
    assert "before the launch" not in message


def test_inputs_that_were_not_copied_are_blamed(judge):
    verdict = judged(judge, ASSUMED, device="cpu")
    assert first_code(verdict) == "wrong-stride", verdict.diagnosis
    assert "`.contiguous()` before the launch" in verdict.diagnosis[0].message
