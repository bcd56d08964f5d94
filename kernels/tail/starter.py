import torch
import triton
import triton.language as tl

BLOCK = 1024  # lanes of one program


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # This is right for multiples of 1024. Otherwise,
    # what do the last program's spare lanes touch?
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, x + 10)


def add_ten_any(x: torch.Tensor) -> torch.Tensor:
    """x + 10 for a contiguous float32 tensor of any length."""
    out = torch.empty_like(x)
    n = x.numel()
    # Is this enough when n is no multiple of 1024?
    add_ten_kernel[(n // BLOCK,)](x, out, n, BLOCK=BLOCK)
    return out
