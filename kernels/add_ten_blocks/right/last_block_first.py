import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    block = tl.num_programs(0) - 1 - tl.program_id(0)
    x_ptr += block * BLOCK
    out_ptr += block * BLOCK
    lane = tl.arange(0, BLOCK)
    tl.store(out_ptr + lane, tl.load(x_ptr + lane) + 10)


def add_ten_blocks(x):
    out = torch.empty_like(x)
    kernel[(x.numel() // 1024,)](x, out, BLOCK=1024)
    return out
