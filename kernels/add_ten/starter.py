import torch
import triton
import triton.language as tl

BLOCK = 1024  # lanes: one for each element


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    # Write the kernel: load the 1024 numbers that
    # begin at x_ptr, add 10, store them at out_ptr.
    pass


def add_ten(x: torch.Tensor) -> torch.Tensor:
    """x + 10 for a contiguous float32 tensor of 1024 elements."""
    out = torch.empty_like(x)
    add_ten_kernel[(1,)](x, out, BLOCK=BLOCK)  # one program
    return out
