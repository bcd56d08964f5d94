import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    last = tl.program_id(0) * BLOCK + BLOCK - 1
    offsets = last - tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + 10, mask=mask)


def add_ten_any(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    n = x.numel()
    add_ten_kernel[(triton.cdiv(n, BLOCK),)](x, out, n, BLOCK=BLOCK)
    return out
