# expect: wrong-stride
import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(x_ptr + row * columns + column, mask=mask)
    tl.store(out_ptr + row * columns + column, 2 * x, mask=mask)


def double(x):
    rows, columns = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    double_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=block)
    return out
