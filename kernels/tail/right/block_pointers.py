# until: triton 3.9
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    x = tl.make_block_ptr(x_ptr, (n,), (1,), (start,), (BLOCK,), (0,))
    out = tl.make_block_ptr(out_ptr, (n,), (1,), (start,), (BLOCK,), (0,))
    tl.store(out, tl.load(x, boundary_check=(0,)) + 10, boundary_check=(0,))


def add_ten_any(x):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 512),)](x, out, x.numel(), BLOCK=512)
    return out
