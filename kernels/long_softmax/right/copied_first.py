import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    lane = tl.arange(0, BLOCK)
    largest = tl.load(x_ptr + row)
    total = 0.0
    for start in range(0, columns, BLOCK):
        c = start + lane
        v = tl.load(x_ptr + row + c, mask=c < columns, other=float("-inf"))
        new = tl.maximum(largest, tl.max(v, axis=0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(v - new), axis=0)
        largest = new
    scale = 1.0 / total
    for start in range(0, columns, BLOCK):
        c = start + lane
        v = tl.load(x_ptr + row + c, mask=c < columns)
        tl.store(out_ptr + row + c, tl.exp(v - largest) * scale, mask=c < columns)


def long_softmax(x):
    x = x.contiguous()
    rows, columns = x.shape
    out = torch.empty_like(x)
    kernel[(rows,)](x, out, columns, BLOCK=1024)
    return out
