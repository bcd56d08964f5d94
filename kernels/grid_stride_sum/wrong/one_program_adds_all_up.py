# expect: too-few-programs
import torch
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def grid_stride_sum_kernel(x_ptr, out_ptr, n, programs, BLOCK: tl.constexpr):
    for program in range(programs):
        total = tl.zeros([BLOCK], dtype=tl.float32)
        for start in range(program * BLOCK, n, programs * BLOCK):
            i = start + tl.arange(0, BLOCK)
            total += tl.load(x_ptr + i, mask=i < n, other=0.0)
        tl.store(out_ptr + program, tl.sum(total, axis=0))


def grid_stride_sum(x: torch.Tensor, programs: int) -> torch.Tensor:
    """Add up all sums in one program."""
    out = torch.empty(programs, dtype=x.dtype, device=x.device)
    grid_stride_sum_kernel[(1,)](x, out, x.numel(), programs, BLOCK=BLOCK)
    return out
