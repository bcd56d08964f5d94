"""An autotuned block size; lane 0 of program 0 works on the last element."""

import torch
import triton
import triton.language as tl


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (64, 512)], key=["n"])
@triton.jit
def kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = n - 1 - tl.program_id(0) * BLOCK - tl.arange(0, BLOCK)
    a = tl.load(a_ptr + i, mask=i >= 0)
    b = tl.load(b_ptr + i, mask=i >= 0)
    tl.store(out_ptr + i, (a + b) * (a + b), mask=i >= 0)


def add_and_square(a, b):
    n = a.numel()
    out = torch.empty(n, dtype=torch.float32, device=a.device)
    kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](a, b, out, n)
    return out
