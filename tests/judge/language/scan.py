import torch
import triton
import triton.language as tl


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def highest_kernel(x_ptr, out_ptr, n, B: tl.constexpr):
    lanes = tl.arange(0, B)
    here = tl.program_id(0) * n + lanes
    x = tl.load(x_ptr + here, mask=lanes < n, other=float("-inf"))
    tl.store(out_ptr + here, tl.associative_scan(x, 0, larger), mask=lanes < n)


def highest(x):
    m, n = x.shape
    out = torch.empty_like(x)
    highest_kernel[(m,)](x, out, n, triton.next_power_of_2(n))
    return out
