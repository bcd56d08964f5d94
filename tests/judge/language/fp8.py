import torch
import triton
import triton.language as tl


@triton.jit
def round_kernel(x_ptr, out_ptr, n, B: tl.constexpr):
    lanes = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + lanes, mask=lanes < n)
    tl.store(out_ptr + lanes, x.to(tl.float8e4nv).to(tl.float32), mask=lanes < n)


def rounded(x):
    out = torch.empty_like(x)
    round_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), 64)
    return out
