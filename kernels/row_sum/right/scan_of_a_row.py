import torch
import triton
import triton.language as tl


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def k(x_ptr, out_ptr, columns, rs, cs, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + r * rs + c * cs, mask=c < columns, other=0.0)
    s = tl.associative_scan(v, 0, plus)
    tl.store(out_ptr + r, tl.sum(tl.where(c == BLOCK - 1, s, 0.0)))


def row_sum(x):
    out = torch.empty(x.shape[0], device=x.device)
    k[(x.shape[0],)](
        x, out, x.shape[1], x.stride(0), x.stride(1), BLOCK=triton.next_power_of_2(x.shape[1])
    )
    return out
