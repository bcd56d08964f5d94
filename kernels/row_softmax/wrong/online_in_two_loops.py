# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    largest = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + lane
        x = tl.load(
            x_ptr + row * row_stride + column * column_stride,
            mask=column < columns,
            other=float("-inf"),
        )
        largest = tl.maximum(largest, x, propagate_nan=tl.PropagateNan.ALL)
    top = tl.max(largest, axis=0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + lane
        x = tl.load(
            x_ptr + row * row_stride + column * column_stride,
            mask=column < columns,
            other=float("-inf"),
        )
        total += tl.exp(x - top)
    below = tl.sum(total, axis=0)
    for start in range(0, columns, BLOCK):
        column = start + lane
        mask = column < columns
        x = tl.load(x_ptr + row * row_stride + column * column_stride, mask=mask)
        tl.store(out_ptr + row * columns + column, tl.exp(x - top) / below, mask=mask)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    softmax_kernel[(rows,)](x, out, columns, *x.stride(), BLOCK=1024)
    return out
