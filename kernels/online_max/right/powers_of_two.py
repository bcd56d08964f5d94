import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def online_max_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = float("-inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + row * columns + column, mask=column < columns, other=float("-inf"))
        new = tl.maximum(largest, tl.max(v, axis=0))
        log2_e = 1.4426950408889634
        part = tl.sum(tl.exp2((v - new) * log2_e), axis=0)
        total = total * tl.exp2((largest - new) * log2_e) + part
        largest = new
    tl.store(out_ptr + row * 2, largest)
    tl.store(out_ptr + row * 2 + 1, total)


def online_max(x):
    rows, columns = x.shape
    out = torch.empty((rows, 2), dtype=x.dtype, device=x.device)
    online_max_kernel[(rows,)](x, out, columns, BLOCK=BLOCK)
    return out
