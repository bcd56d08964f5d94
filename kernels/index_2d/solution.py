import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 16, 64


@triton.jit
def index_2d_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    # Two indices, each made like the index of a vector. Axis 0 belongs to the columns, as CUDA's x
    # does: neighbours in memory belong to neighbouring lanes.
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    # [ROWS, 1] and [1, COLUMNS] give a tile of [ROWS, COLUMNS]. A step down the matrix is `columns`
    # elements long, whatever the tile's width is.
    at = row[:, None] * columns + column[None, :]
    # A lane past the right edge has an address inside the matrix: that of the next row. So a check of
    # the address alone would not do; each index is compared with its own count.
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    x = tl.load(x_ptr + at, mask=inside)
    tl.store(out_ptr + at, x + (column[None, :] - row[:, None]), mask=inside)


def index_2d(x: torch.Tensor) -> torch.Tensor:
    """x[r, c] + c - r for a contiguous float32 matrix."""
    rows, columns = x.shape
    out = torch.empty_like(x)
    grid = (triton.cdiv(columns, COLUMNS), triton.cdiv(rows, ROWS))
    index_2d_kernel[grid](x, out, rows, columns, ROWS=ROWS, COLUMNS=COLUMNS)
    return out
