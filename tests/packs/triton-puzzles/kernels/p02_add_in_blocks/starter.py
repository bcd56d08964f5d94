import torch
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def add_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Write the kernel.
    pass


def add_ten(x: torch.Tensor) -> torch.Tensor:
    """x + 10, for any number of elements."""
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x, out, n, BLOCK=BLOCK)
    return out
