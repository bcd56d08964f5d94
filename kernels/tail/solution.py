import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # True in the lanes that have an element. All programs but the last have true in every lane.
    mask = offsets < n
    # A masked lane holds an undefined value after this load. The store drops the same lanes.
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + 10, mask=mask)


def add_ten_any(x: torch.Tensor) -> torch.Tensor:
    """x + 10 for a contiguous float32 tensor of any length."""
    out = torch.empty_like(x)
    n = x.numel()
    # Rounded up: the elements after the last full block need a program too.
    add_ten_kernel[(triton.cdiv(n, BLOCK),)](x, out, n, BLOCK=BLOCK)
    return out
