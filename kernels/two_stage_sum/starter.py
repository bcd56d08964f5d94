import torch
import triton
import triton.language as tl

BLOCK = 256
PROGRAMS = 32  # of the first stage


@triton.jit
def partial_sums(x_ptr, partial_ptr, n, BLOCK: tl.constexpr):
    # Stage 1, many programs: write this program's sum
    # to its place among the partial sums.
    pass


@triton.jit
def sum_of_partials(partial_ptr, out_ptr, COUNT: tl.constexpr):
    # Stage 2, one program: add the COUNT partial sums
    # up.
    pass


def two_stage_sum(x: torch.Tensor) -> torch.Tensor:
    """The sum of a contiguous float32 vector, as a tensor of shape []."""
    partial = torch.empty(PROGRAMS, dtype=torch.float32, device=x.device)
    out = torch.empty((), dtype=torch.float32, device=x.device)
    partial_sums[(PROGRAMS,)](x, partial, x.numel(), BLOCK=BLOCK)
    # Write the launch of the second stage.
    return out
