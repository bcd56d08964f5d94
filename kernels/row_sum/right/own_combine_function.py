import torch
import triton
import triton.language as tl


@triton.jit
def two(a, b, c, d):
    return a + c, b + d


@triton.jit
def k(x_ptr, out_ptr, columns, rs, cs, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    total = 0.0
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        v = tl.load(x_ptr + r * rs + c * cs, mask=c < columns, other=0.0)
        a, b = tl.reduce((v, v), 0, two)
        total += (a + b) / 2
    tl.store(out_ptr + r, total)


def row_sum(x):
    out = torch.empty(x.shape[0], device=x.device)
    k[(x.shape[0],)](x, out, x.shape[1], *x.stride(), BLOCK=2048)
    return out
