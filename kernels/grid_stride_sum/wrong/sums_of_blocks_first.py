# expect: wrong-values
import torch
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def block_sums_kernel(x_ptr, sums_ptr, n, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    i = block * BLOCK + tl.arange(0, BLOCK)
    tl.store(sums_ptr + block, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0), axis=0))


@triton.jit
def add_kernel(sums_ptr, out_ptr, blocks):
    program = tl.program_id(0)
    total = 0.0
    for block in range(program, blocks, tl.num_programs(0)):
        total += tl.load(sums_ptr + block)
    tl.store(out_ptr + program, total)


def grid_stride_sum(x: torch.Tensor, programs: int) -> torch.Tensor:
    """Sum each block in a program of its own, and add these sums in a second launch."""
    blocks = triton.cdiv(x.numel(), BLOCK)
    sums = torch.empty(blocks, dtype=x.dtype, device=x.device)
    out = torch.empty(programs, dtype=x.dtype, device=x.device)
    block_sums_kernel[(blocks,)](x, sums, x.numel(), BLOCK=BLOCK)
    add_kernel[(programs,)](sums, out, blocks)
    return out
