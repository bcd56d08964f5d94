import torch
import triton
import triton.language as tl


@triton.jit
def two(a, b, c, d):
    return a + c, b + d


@triton.jit
def k(x_ptr, out_ptr, columns, rs, cs, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x_ptr + r * rs + c * cs, mask=c < columns, other=0.0)
    a, b = tl.reduce((v, v), 0, two)
    tl.store(out_ptr + r, (a + b) / 2)


def row_sum(x):
    out = torch.empty(x.shape[0], device=x.device)
    k[(x.shape[0],)](
        x, out, x.shape[1], x.stride(0), x.stride(1), BLOCK=triton.next_power_of_2(x.shape[1])
    )
    return out
