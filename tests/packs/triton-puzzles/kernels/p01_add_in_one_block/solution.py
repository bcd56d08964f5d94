import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 10)


def add_ten(x: torch.Tensor) -> torch.Tensor:
    """x + 10, for a power of two of elements."""
    out = torch.empty_like(x)
    add_kernel[(1,)](x, out, BLOCK=x.numel())
    return out
