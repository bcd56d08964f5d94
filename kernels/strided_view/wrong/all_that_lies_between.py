# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def twice_flat(src, dst, n, STEP: tl.constexpr):
    at = tl.program_id(0) * STEP + tl.arange(0, STEP)
    inside = at < n
    tl.store(dst + at, tl.load(src + at, mask=inside) * 2.0, mask=inside)


def double(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    span = (rows - 1) * x.stride(0) + (columns - 1) * x.stride(1) + 1
    raw = torch.empty(span, dtype=x.dtype, device=x.device)
    twice_flat[(triton.cdiv(span, 512),)](x, raw, span, STEP=512)
    return raw.as_strided(x.shape, x.stride())
