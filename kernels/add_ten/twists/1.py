import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = BLOCK - 1 - tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 10)


def add_ten(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    add_ten_kernel[(1,)](x, out, BLOCK=BLOCK)
    return out
