import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    program = tl.num_programs(0) - 1 - tl.program_id(0)
    offsets = program * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, x + 10)


def add_ten_blocks(x):
    out = torch.empty_like(x)
    add_ten_kernel[(x.numel() // BLOCK,)](x, out, BLOCK=BLOCK)
    return out
