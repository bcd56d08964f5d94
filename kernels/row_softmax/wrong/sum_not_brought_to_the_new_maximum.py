# expect: wrong-values
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def online_softmax(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_row = x_ptr + row * row_stride
    lanes = tl.arange(0, BLOCK)

    # pass 1: running maximum and running sum
    m = float("-inf")
    s = 0.0
    for start in range(0, columns, BLOCK):
        c = start + lanes
        v = tl.load(x_row + c * column_stride, mask=c < columns, other=float("-inf"))
        m = tl.maximum(m, tl.max(v, axis=0))
        shift = tl.where(m == float("-inf"), 0.0, m)  # a block of -inf only adds 0
        s += tl.sum(tl.exp(v - shift), axis=0)

    # pass 2: write
    for start in range(0, columns, BLOCK):
        c = start + lanes
        v = tl.load(x_row + c * column_stride, mask=c < columns, other=float("-inf"))
        tl.store(out_ptr + row * columns + c, tl.exp(v - m) / s, mask=c < columns)


def softmax(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    online_softmax[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=BLOCK)
    return out
