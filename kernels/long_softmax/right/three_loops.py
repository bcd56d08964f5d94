import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, columns, xr, xc, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * xr
    out_ptr += row * columns
    lane = tl.arange(0, BLOCK)
    largest = float("-inf")
    for start in range(0, columns, BLOCK):
        c = start + lane
        v = tl.load(x_ptr + c.to(tl.int64) * xc, mask=c < columns, other=float("-inf"))
        largest = tl.maximum(largest, tl.max(v, axis=0))
    total = 0.0
    for start in range(0, columns, BLOCK):
        c = start + lane
        v = tl.load(x_ptr + c.to(tl.int64) * xc, mask=c < columns, other=float("-inf"))
        total += tl.sum(tl.exp(v - largest), axis=0)
    for start in range(0, columns, BLOCK):
        c = start + lane
        v = tl.load(x_ptr + c.to(tl.int64) * xc, mask=c < columns)
        tl.store(out_ptr + c, tl.exp(v - largest) / total, mask=c < columns)


def long_softmax(x):
    rows, columns = x.shape
    out = torch.empty((rows, columns), dtype=x.dtype, device=x.device)
    kernel[(rows,)](x, out, columns, *x.stride(), BLOCK=512)
    return out
