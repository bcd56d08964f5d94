# expect: too-much-traffic
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def draw_kernel(random_ptr, n, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(random_ptr + i, tl.rand(seed, i), mask=i < n)


@triton.jit
def drop_kernel(x_ptr, random_ptr, out_ptr, n, p, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    keep = tl.load(random_ptr + i, mask=i < n) >= p
    tl.store(out_ptr + i, tl.where(keep, x / (1 - p), 0.0), mask=i < n)


def dropout(x, p, seed):
    random, out = torch.empty_like(x), torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, BLOCK),)
    draw_kernel[grid](random, n, seed, BLOCK=BLOCK)
    drop_kernel[grid](x, random, out, n, p, BLOCK=BLOCK)
    return out
