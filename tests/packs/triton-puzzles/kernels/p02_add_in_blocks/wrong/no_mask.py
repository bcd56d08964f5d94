# expect: missing-mask
import torch
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def add_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 10, mask=mask)


def add_ten(x: torch.Tensor) -> torch.Tensor:
    """x + 10, for any number of elements."""
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x, out, n, BLOCK=BLOCK)
    return out
