import torch
import triton
import triton.language as tl

BLOCK = 1024  # elements of one program


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    # As it stands, every program works on the first
    # block. Which elements are this program's?
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, x + 10)


def add_ten_blocks(x: torch.Tensor) -> torch.Tensor:
    """x + 10 for a contiguous float32 tensor whose length is a multiple of 1024."""
    out = torch.empty_like(x)
    # How many programs does x need?
    add_ten_kernel[(1,)](x, out, BLOCK=BLOCK)
    return out
