"""A while loop with pointers that move; the number of programs is an argument."""

import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, programs, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    left = n - program * BLOCK
    at = x_ptr + program * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    while left > 0:
        total += tl.load(at, mask=tl.arange(0, BLOCK) < left, other=0.0)
        at += programs * BLOCK
        left -= programs * BLOCK
    tl.store(out_ptr + program, tl.sum(total, axis=0))


def grid_stride_sum(x, programs):
    out = x.new_empty(programs)
    kernel[(programs,)](x, out, x.numel(), programs, BLOCK=256)
    return out
