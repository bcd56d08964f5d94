import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at <= n - 1
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=inside) + 10, mask=inside)


def add_ten_any(x):
    out = torch.empty_like(x)
    kernel[(1,)](x, out, x.numel(), BLOCK=triton.next_power_of_2(x.numel()))
    return out
