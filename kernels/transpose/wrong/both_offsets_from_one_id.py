# expect: wrong-program-id
import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, out_ptr, R, C, row_stride, column_stride, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = (rows[:, None] < R) & (columns[None, :] < C)
    tile = tl.load(
        x_ptr + rows[:, None] * row_stride + columns[None, :] * column_stride, mask=mask
    )
    tl.store(out_ptr + columns[None, :] * R + rows[:, None], tile, mask=mask)


def transpose(x):
    rows, columns = x.shape
    out = torch.empty((columns, rows), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(rows, 32), triton.cdiv(columns, 32))
    transpose_kernel[grid](x, out, rows, columns, *x.stride(), BLOCK=32)
    return out
