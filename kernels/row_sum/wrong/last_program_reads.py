# expect: race
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def row_sum_kernel(x_ptr, sum_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row, block = tl.program_id(0), tl.program_id(1)
    column = block * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(
        x_ptr + row * row_stride + column * column_stride, mask=column < columns, other=0.0
    )
    tl.atomic_add(sum_ptr + row, tl.sum(x, axis=0))
    if block == tl.num_programs(1) - 1:
        tl.store(out_ptr + row, tl.load(sum_ptr + row))


def row_sum(x):
    rows, columns = x.shape
    total = torch.zeros(rows, dtype=x.dtype, device=x.device)
    out = torch.empty_like(total)
    grid = (rows, triton.cdiv(columns, BLOCK))
    row_sum_kernel[grid](x, total, out, columns, x.stride(0), x.stride(1), BLOCK=BLOCK)
    return out
