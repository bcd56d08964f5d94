# expect: wrong-values
import torch
import triton
import triton.language as tl

BLOCK = 32


@triton.jit
def transpose_kernel(x_ptr, out_ptr, R, C, row_stride, column_stride, BLOCK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = (rows[:, None] < R) & (columns[None, :] < C)
    tile = tl.load(x_ptr + rows[:, None] * row_stride + columns[None, :] * column_stride, mask=mask)
    tl.store(out_ptr + columns[None, :] * R + rows[:, None], tile + 0.0, mask=mask)


def transpose(x: torch.Tensor) -> torch.Tensor:
    """[rows, columns] -> [columns, rows], float32, a new contiguous tensor."""
    rows, columns = x.shape
    out = torch.empty((columns, rows), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(rows, BLOCK), triton.cdiv(columns, BLOCK))
    transpose_kernel[grid](x, out, rows, columns, *x.stride(), BLOCK=BLOCK)
    return out
