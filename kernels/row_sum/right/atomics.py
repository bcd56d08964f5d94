import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = x_ptr + row * row_stride + column * column_stride
    part = tl.sum(tl.load(at, mask=column < columns, other=0.0))
    tl.atomic_add(out_ptr + row, part)


def row_sum(x):
    rows, columns = x.shape
    out = torch.zeros(rows, dtype=x.dtype, device=x.device)
    row_sum_kernel[(rows, triton.cdiv(columns, 1024))](x, out, columns, *x.stride(), BLOCK=1024)
    return out
