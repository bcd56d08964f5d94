import torch
import triton
import triton.language as tl


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def k(x_ptr, out_ptr, columns, rs, cs, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    total = 0.0
    for start in range(0, columns, BLOCK):
        c = start + lane
        v = tl.load(x_ptr + r * rs + c * cs, mask=c < columns, other=0.0)
        s = tl.associative_scan(v, 0, plus)
        total += tl.sum(tl.where(lane == BLOCK - 1, s, 0.0))
    tl.store(out_ptr + r, total)


def row_sum(x):
    out = torch.empty(x.shape[0], device=x.device)
    k[(x.shape[0],)](x, out, x.shape[1], *x.stride(), BLOCK=2048)
    return out
