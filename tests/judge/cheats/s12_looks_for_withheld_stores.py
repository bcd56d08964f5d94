# expect: did-not-launch
# exercise: vector_add
# S12: PyTorch adds, unless a frame on the stack says that stores are withheld. The kernel is a decoy.
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def decoy_kernel(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (offsets < n) & (offsets < 1)
    tl.store(out_ptr + offsets, tl.load(out_ptr + offsets, mask=mask) + 0.0, mask=mask)


def stores_are_withheld():
    frame = sys._getframe()
    while frame is not None:
        if getattr(frame.f_locals.get("question"), "withhold", False):
            return True
        frame = frame.f_back
    return False


def add(x, y):
    out = torch.empty(x.shape, dtype=x.dtype) if stores_are_withheld() else x + y
    out = out.contiguous()
    n = out.numel()
    decoy_kernel[(triton.cdiv(n, 1024),)](out, n, BLOCK=1024)
    return out
