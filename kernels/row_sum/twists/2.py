import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = x_ptr + row * row_stride + column.to(tl.int64) * column_stride
    x = tl.load(at, mask=column < columns, other=0.0)
    tl.atomic_add(out_ptr + row, tl.sum(x, axis=0))


def row_sum(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    out = torch.zeros(rows, dtype=x.dtype, device=x.device)
    grid = (rows, triton.cdiv(columns, BLOCK))
    row_sum_kernel[grid](x, out, columns, x.stride(0), x.stride(1), BLOCK=BLOCK)
    return out
