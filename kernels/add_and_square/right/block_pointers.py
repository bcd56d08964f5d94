# until: triton 3.9
"""Block pointers, and a helper function that squares."""

import torch
import triton
import triton.language as tl


@triton.jit
def square(v):
    return v * v


@triton.jit
def kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK
    a = tl.make_block_ptr(a_ptr, (n,), (1,), (at,), (BLOCK,), (0,))
    b = tl.make_block_ptr(b_ptr, (n,), (1,), (at,), (BLOCK,), (0,))
    out = tl.make_block_ptr(out_ptr, (n,), (1,), (at,), (BLOCK,), (0,))
    total = tl.load(a, boundary_check=(0,)) + tl.load(b, boundary_check=(0,))
    tl.store(out, square(total), boundary_check=(0,))


def add_and_square(a, b):
    out = torch.empty_like(a)
    kernel[(triton.cdiv(a.numel(), 128),)](a, b, out, a.numel(), BLOCK=128)
    return out
