# expect: wrong-stride
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    partial = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        partial += tl.load(x_ptr + row * columns + column, mask=column < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(partial, axis=0))


def row_sum(x):
    rows, columns = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    row_sum_kernel[(rows,)](x, out, columns, BLOCK=BLOCK)
    return out
