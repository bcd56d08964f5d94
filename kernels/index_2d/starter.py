import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 16, 64  # the tile of one program


@triton.jit
def index_2d_kernel(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    # Write the kernel: the columns and the rows of
    # this program, the address of each lane, the
    # guard. Then load, add the column, take off the
    # row, store.
    pass


def index_2d(x: torch.Tensor) -> torch.Tensor:
    """x[r, c] + c - r for a contiguous float32 matrix."""
    rows, columns = x.shape
    out = torch.empty_like(x)
    grid = (triton.cdiv(columns, COLUMNS), triton.cdiv(rows, ROWS))
    index_2d_kernel[grid](x, out, rows, columns, ROWS=ROWS, COLUMNS=COLUMNS)
    return out
