import torch
import triton
import triton.language as tl


@triton.jit
def index_2d_kernel(x_ptr, out_ptr, columns, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, columns, COLUMNS):
        column = start + tl.arange(0, COLUMNS)
        at = row * columns + column
        x = tl.load(x_ptr + at, mask=column < columns)
        tl.store(out_ptr + at, x + (column - row), mask=column < columns)


def index_2d(x):
    rows, columns = x.shape
    out = torch.empty_like(x)
    index_2d_kernel[(rows,)](x, out, columns, COLUMNS=128)
    return out
