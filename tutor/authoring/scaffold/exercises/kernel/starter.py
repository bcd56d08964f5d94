import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def ${slug}_kernel(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    # Write the kernel.
    pass


def $slug(x: torch.Tensor, factor: float) -> torch.Tensor:
    """x * factor, one-dimensional, float32."""
    out = torch.empty_like(x)
    n = x.numel()
    ${slug}_kernel[(triton.cdiv(n, BLOCK),)](x, out, factor, n, BLOCK=BLOCK)
    return out
