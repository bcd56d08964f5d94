import torch
import triton
import triton.language as tl


@triton.jit
def sort_kernel(x_ptr, out_ptr, n, B: tl.constexpr):
    lanes = tl.arange(0, B)
    here = tl.program_id(0) * n + lanes
    x = tl.load(x_ptr + here, mask=lanes < n, other=float("inf"))
    tl.store(out_ptr + here, tl.sort(x), mask=lanes < n)


def ordered(x):
    m, n = x.shape
    out = torch.empty_like(x)
    sort_kernel[(m,)](x, out, n, triton.next_power_of_2(n))
    return out
