import torch
import triton
import triton.language as tl

HALF = 512


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, HALF: tl.constexpr):
    offsets = tl.arange(0, HALF)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 10)
    offsets += HALF
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 10)


def add_ten(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    add_ten_kernel[(1,)](x, out, HALF=HALF)
    return out
