# until: triton 3.9
"""A block pointer whose stride is the argument, read backwards from the last program."""

import triton
import triton.language as tl

SECTORS_3, SECTORS_16 = 3 * 32 * 4 // 32, 32


@triton.jit
def kernel(x_ptr, out_ptr, count, stride, BLOCK: tl.constexpr):
    at = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK
    source = tl.make_block_ptr(x_ptr, (count,), (stride,), (at,), (BLOCK,), (0,))
    target = tl.make_block_ptr(out_ptr, (count,), (1,), (at,), (BLOCK,), (0,))
    tl.store(target, tl.load(source, boundary_check=(0,)), boundary_check=(0,))


def strided_copy(x, stride):
    count = (len(x) - 1) // stride + 1
    out = x.new_empty(count)
    kernel[(triton.cdiv(count, 64),)](x, out, count, stride, BLOCK=64)
    return out
