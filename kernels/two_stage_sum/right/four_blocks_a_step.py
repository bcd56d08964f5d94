import torch
import triton
import triton.language as tl

PROGRAMS = 32


@triton.jit
def partial_sums(x_ptr, partial_ptr, n, R: tl.constexpr, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    count = tl.num_programs(0)
    blocks = tl.cdiv(n, BLOCK)
    acc = tl.zeros((R, BLOCK), tl.float32)
    for first in range(p, blocks, count * R):
        block = first + tl.arange(0, R) * count
        i = block[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
        acc += tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(partial_ptr + p, tl.sum(tl.sum(acc, axis=1), axis=0))


@triton.jit
def sum_of_partials(partial_ptr, out_ptr, COUNT: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, COUNT)), axis=0))


def two_stage_sum(x: torch.Tensor) -> torch.Tensor:
    scratch = x.new_empty(PROGRAMS)
    out = x.new_empty(())
    partial_sums[(PROGRAMS,)](x, scratch, x.numel(), R=4, BLOCK=256)
    sum_of_partials[(1,)](scratch, out, COUNT=PROGRAMS)
    return out
