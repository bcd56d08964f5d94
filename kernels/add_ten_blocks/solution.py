import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    # Program p owns the elements from p * BLOCK to p * BLOCK + BLOCK - 1, one for each lane.
    program = tl.program_id(0)
    offsets = program * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, x + 10)


def add_ten_blocks(x: torch.Tensor) -> torch.Tensor:
    """x + 10 for a contiguous float32 tensor whose length is a multiple of 1024."""
    out = torch.empty_like(x)
    # The length is a multiple of BLOCK, so the division leaves no rest.
    add_ten_kernel[(x.numel() // BLOCK,)](x, out, BLOCK=BLOCK)
    return out
