"""An output that keeps the layout of a view, under a kernel that stores to neighbours."""

from course_answers import wrong_program
from judging import first_code, judged

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


def test_inputs_that_were_copied_are_not_blamed(judge):
    verdict = judged(judge, FMA, "fma", device="cpu")
    assert first_code(verdict) == "wrong-stride", verdict.diagnosis
    message = verdict.diagnosis[0].message
    assert "`torch.empty_like` keeps a view's strides" in message
    assert "before the launch" not in message


def test_inputs_that_were_not_copied_are_blamed(judge):
    copies = "    a, b, c = a.contiguous(), b.contiguous(), c.contiguous()\n"
    assert copies in FMA
    verdict = judged(judge, FMA.replace(copies, ""), "fma", device="cpu")
    assert first_code(verdict) == "wrong-stride", verdict.diagnosis
    assert "Contiguous inputs come out right, views do not" in verdict.diagnosis[0].message


def test_a_store_past_the_output_is_told_of_the_outputs_own_strides(judge):
    source = wrong_program("row_softmax", "stored_by_the_strides_of_x")
    verdict = judged(judge, source, "row_softmax", device="cpu")
    assert first_code(verdict) == "wrong-stride", verdict.diagnosis
    message = verdict.diagnosis[0].message
    assert "made with the strides of another tensor" in message
    assert "`.contiguous()` before the launch" not in message
