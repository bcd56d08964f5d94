# until: triton 3.9
"""A grid of rows and blocks without a loop; a block pointer stores down the result's column."""

import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, rows, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row, at = tl.program_id(1), tl.program_id(0) * BLOCK
    source = tl.make_block_ptr(
        x_ptr, (rows, columns), (row_stride, column_stride), (row, at), (1, BLOCK), (1, 0)
    )
    target = tl.make_block_ptr(out_ptr, (columns, rows), (rows, 1), (at, row), (BLOCK, 1), (1, 0))
    tl.store(target, tl.trans(tl.load(source, boundary_check=(1,))), boundary_check=(0,))


def transpose_naive(x):
    rows, columns = x.shape
    out = x.new_empty((columns, rows))
    kernel[(triton.cdiv(columns, 64), rows)](x, out, rows, columns, *x.stride(), BLOCK=64)
    return out
