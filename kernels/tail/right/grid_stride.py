import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    step = tl.num_programs(0) * BLOCK
    for start in range(tl.program_id(0) * BLOCK, n, step):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n, other=-10.0)
        tl.store(out_ptr + at, x + 10, mask=at < n)


def add_ten_any(x):
    out = torch.empty_like(x)
    kernel[(3,)](x, out, x.numel(), BLOCK=256)
    return out
