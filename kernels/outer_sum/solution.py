import torch
import triton
import triton.language as tl

ROWS, COLUMNS = 16, 64


@triton.jit
def outer_sum_kernel(x_ptr, y_ptr, out_ptr, n, m, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    # The grid has two axes: the first counts rows of tiles, the second columns of tiles.
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + row, mask=row < n)
    y = tl.load(y_ptr + column, mask=column < m)
    # [ROWS, 1] and [1, COLUMNS] are stretched to [ROWS, COLUMNS]: one lane for each pair. 64 bits,
    # because the output of two vectors of 65,536 has 2**32 elements.
    at = out_ptr + row[:, None].to(tl.int64) * m + column[None, :]
    # At the right edge of the output columns are missing, at its lower edge rows: two conditions.
    mask = (row[:, None] < n) & (column[None, :] < m)
    tl.store(at, x[:, None] + y[None, :], mask=mask)


def outer_sum(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """out[i, j] = x[i] + y[j] for contiguous float32 vectors."""
    n, m = x.numel(), y.numel()
    out = torch.empty((n, m), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n, ROWS), triton.cdiv(m, COLUMNS))
    outer_sum_kernel[grid](x, y, out, n, m, ROWS=ROWS, COLUMNS=COLUMNS)
    return out
