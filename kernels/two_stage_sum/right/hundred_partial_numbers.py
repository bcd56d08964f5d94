"""100 programs store a number each; one program adds them up as a masked block."""

import torch
import triton
import triton.language as tl


@triton.jit
def lanes(x_ptr, part_ptr, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    first = tl.program_id(0) * BLOCK
    for start in range(first, n, tl.num_programs(0) * BLOCK):
        total += tl.load(x_ptr + start + lane, mask=start + lane < n, other=0.0)
    tl.store(part_ptr + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def gather(part_ptr, out_ptr, count, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    part = tl.load(part_ptr + at, mask=at < count, other=0.0)
    tl.store(out_ptr, tl.sum(part, axis=0))


def two_stage_sum(x):
    part = torch.empty(100, device=x.device)
    out = torch.empty([], device=x.device)
    lanes[(100,)](x, part, x.numel(), BLOCK=128)
    gather[(1,)](part, out, 100, BLOCK=128)
    return out
