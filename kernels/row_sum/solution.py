import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    # One program, one row. 64 bits: row * row_stride passes 2**31 in a tensor of 8 GiB.
    row = tl.program_id(0).to(tl.int64)
    row_ptr = x_ptr + row * row_stride
    # A partial sum in each lane. They meet once, after the loop: an addition a step costs nothing
    # beside the load, a reduction across lanes in every step would. Short chains of additions also
    # lose less: each lane rounds columns / BLOCK times, and the tree of tl.sum log2(BLOCK) times.
    partial = tl.zeros([BLOCK], dtype=tl.float32)
    # No row length is assumed: the loop takes as many blocks as there are.
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        # Lanes past the last column hold 0, the neutral element of addition. Without `other` they
        # would hold anything, and unlike in an elementwise kernel they reach the result.
        partial += tl.load(
            row_ptr + column.to(tl.int64) * column_stride, mask=column < columns, other=0.0
        )
    # One number, and `row` always exists because the grid has exactly `rows` programs: no mask.
    tl.store(out_ptr + row, tl.sum(partial, axis=0))


def row_sum(x: torch.Tensor) -> torch.Tensor:
    """Sum of each row of a float32 matrix: [rows, columns] -> [rows]."""
    rows, columns = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    # A short row needs no 1024 lanes. tl.arange wants a power of two.
    block = min(BLOCK, triton.next_power_of_2(columns))
    # Strides are handed over instead of calling contiguous(): a copy would read and write the whole
    # matrix once more than the sum needs.
    row_sum_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=block)
    return out
