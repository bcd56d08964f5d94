# expect: too-few-programs
import torch
import triton
import triton.language as tl


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, blocks, BLOCK: tl.constexpr):
    for block in range(tl.program_id(0), blocks, 2):
        offsets = block * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + offsets, tl.load(x_ptr + offsets) + 10)


def add_ten_blocks(x: torch.Tensor) -> torch.Tensor:
    """x + 10 for a contiguous float32 tensor whose length is a multiple of 1024."""
    out = torch.empty_like(x)
    blocks = x.numel() // 1024
    add_ten_kernel[(min(blocks, 2),)](x, out, blocks, BLOCK=1024)
    return out
