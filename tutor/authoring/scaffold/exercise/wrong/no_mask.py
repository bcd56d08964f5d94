# expect: missing-mask
import torch
import triton
import triton.language as tl

BLOCK = 1024


# A plausible mistake a file; its first line names the code that the verdict must put first.
@triton.jit
def ${slug}_kernel(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, x * factor, mask=offsets < n)


def $slug(x: torch.Tensor, factor: float) -> torch.Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    ${slug}_kernel[(triton.cdiv(n, BLOCK),)](x, out, factor, n, BLOCK=BLOCK)
    return out
