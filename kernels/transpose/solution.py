import torch
import triton
import triton.language as tl

BLOCK = 32


@triton.jit
def transpose_kernel(x_ptr, out_ptr, R, C, row_stride, column_stride, BLOCK: tl.constexpr):
    # One program, one tile of BLOCK rows and BLOCK columns. 64 bits: 2**31 elements are only 8 GiB.
    rows = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    # Two ragged edges, so two comparisons. A lane outside is neither loaded nor stored.
    mask = (rows[:, None] < R) & (columns[None, :] < C)
    tile = tl.load(x_ptr + rows[:, None] * row_stride + columns[None, :] * column_stride, mask=mask)
    # Element (i, j) of the tile becomes element (j, i) of out, whose rows are R long. Where the
    # loads run along the tile's second axis and the stores along its first, the compiler changes
    # the tile's layout in between, through shared memory: both sides touch whole sectors.
    tl.store(out_ptr + columns[None, :] * R + rows[:, None], tile, mask=mask)


def transpose(x: torch.Tensor) -> torch.Tensor:
    """[rows, columns] -> [columns, rows], float32, a new contiguous tensor."""
    rows, columns = x.shape
    out = torch.empty((columns, rows), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(rows, BLOCK), triton.cdiv(columns, BLOCK))
    # The strides of x as they are: a view that is transposed already needs no copy first.
    transpose_kernel[grid](x, out, rows, columns, *x.stride(), BLOCK=BLOCK)
    return out
