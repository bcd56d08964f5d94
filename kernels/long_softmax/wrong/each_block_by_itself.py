# expect: wrong-values
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def long_softmax_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        mask = column < columns
        at = x_ptr + row * row_stride + column * column_stride
        v = tl.load(at, mask=mask, other=float("-inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(out_ptr + row * columns + column, e / tl.sum(e, axis=0), mask=mask)


def long_softmax(x):
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    long_softmax_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=BLOCK)
    return out
