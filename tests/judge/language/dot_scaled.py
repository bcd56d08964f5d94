import torch
import triton
import triton.language as tl


@triton.jit
def product_kernel(a_ptr, b_ptr, scale_ptr, out_ptr, B: tl.constexpr, K: tl.constexpr):
    rows, inner = tl.arange(0, B), tl.arange(0, K)
    a = tl.load(a_ptr + rows[:, None] * K + inner[None, :])
    b = tl.load(b_ptr + inner[:, None] * B + rows[None, :])
    scale = tl.load(scale_ptr + rows[:, None] * (K // 32) + tl.arange(0, K // 32)[None, :])
    product = tl.dot_scaled(a, scale, "e4m3", b, None, "e4m3")
    tl.store(out_ptr + rows[:, None] * B + rows[None, :], product)


def product(x, y, scale):
    size, depth = x.shape
    out = torch.empty(size, size, device=x.device)
    product_kernel[(1,)](x, y, scale, out, size, depth)
    return out
