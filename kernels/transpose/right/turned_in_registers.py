import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(
    x_ptr, out_ptr, R, C, row_stride, column_stride, BM: tl.constexpr, BN: tl.constexpr
):
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    tile = tl.load(
        x_ptr + rows[:, None] * row_stride + columns[None, :] * column_stride,
        mask=(rows[:, None] < R) & (columns[None, :] < C),
        other=0.0,
    )
    there = (columns[:, None] < C) & (rows[None, :] < R)
    tl.store(out_ptr + columns[:, None] * R + rows[None, :], tl.trans(tile), mask=there)


def transpose(x):
    rows, columns = x.shape
    out = torch.empty(columns, rows, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(columns, 64), triton.cdiv(rows, 16))
    transpose_kernel[grid](x, out, rows, columns, *x.stride(), BM=16, BN=64)
    return out
