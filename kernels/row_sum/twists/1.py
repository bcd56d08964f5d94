import torch
import triton
import triton.language as tl

ROWS, BLOCK = 4, 256


@triton.jit
def row_sum_kernel(
    x_ptr,
    out_ptr,
    rows,
    columns,
    row_stride,
    column_stride,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    there = row < rows
    partial = tl.zeros([ROWS, BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        at = x_ptr + row[:, None] * row_stride + column[None, :].to(tl.int64) * column_stride
        partial += tl.load(at, mask=there[:, None] & (column < columns)[None, :], other=0.0)
    tl.store(out_ptr + row, tl.sum(partial, axis=1), mask=there)


def row_sum(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(rows, ROWS),)
    row_sum_kernel[grid](x, out, rows, columns, x.stride(0), x.stride(1), ROWS=ROWS, BLOCK=BLOCK)
    return out
