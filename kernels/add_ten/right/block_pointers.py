# until: triton 3.9
import torch
import triton
import triton.language as tl


@triton.jit
def block_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.make_block_ptr(x_ptr, (BLOCK,), (1,), (0,), (BLOCK,), (0,))
    out = tl.make_block_ptr(out_ptr, (BLOCK,), (1,), (0,), (BLOCK,), (0,))
    tl.store(out, tl.load(x) + 10)


def add_ten(x):
    out = torch.zeros_like(x)
    block_kernel[(1,)](x, out, BLOCK=x.numel())
    return out
