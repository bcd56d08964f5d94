"""A launcher that times its kernel, and catches what that raises."""

import torch
import triton
import triton.language as tl


@triton.jit
def halved(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) / 2, mask=at < n)


def times_quietly(x):
    out = torch.empty_like(x)
    try:
        for _ in range(3):
            start = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            halved[(1,)](x, out, x.numel(), BLOCK=128)
            start.elapsed_time(end)
    except Exception:
        return None
    return out
