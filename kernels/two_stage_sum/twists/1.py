import torch
import triton
import triton.language as tl

BLOCK = 256
PROGRAMS = 100


@triton.jit
def partial_sums(x_ptr, partial_ptr, n, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(program * BLOCK, n, tl.num_programs(0) * BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(partial_ptr + program, tl.sum(total, axis=0))


@triton.jit
def sum_of_partials(partial_ptr, out_ptr, COUNT: tl.constexpr):
    which = tl.arange(0, 128)
    partial = tl.load(partial_ptr + which, mask=which < COUNT, other=0.0)
    tl.store(out_ptr, tl.sum(partial, axis=0))


def two_stage_sum(x: torch.Tensor) -> torch.Tensor:
    """The sum of a contiguous float32 vector, as a tensor of shape []."""
    partial = torch.empty(PROGRAMS, dtype=torch.float32, device=x.device)
    out = torch.empty((), dtype=torch.float32, device=x.device)
    partial_sums[(PROGRAMS,)](x, partial, x.numel(), BLOCK=BLOCK)
    sum_of_partials[(1,)](partial, out, COUNT=PROGRAMS)
    return out
