import torch
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def add_and_square_kernel(a_ptr, b_ptr, out_ptr, n, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    lane = tl.arange(0, BLOCK)
    i = n - 1 - program * BLOCK - lane
    inside = i >= 0
    a = tl.load(a_ptr + i, mask=inside)
    b = tl.load(b_ptr + i, mask=inside)
    total = a + b
    tl.store(out_ptr + i, total * total, mask=inside)


def add_and_square(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """(a + b) squared, for contiguous float32 vectors of one length."""
    out = torch.empty_like(a)
    n = a.numel()
    add_and_square_kernel[(triton.cdiv(n, BLOCK),)](a, b, out, n, BLOCK=BLOCK)
    return out
