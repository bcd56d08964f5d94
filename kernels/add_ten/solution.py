import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_ten_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    # One offset for each lane. BLOCK is known when the kernel is compiled, as tl.arange requires.
    offsets = tl.arange(0, BLOCK)
    # 1024 addresses, 1024 numbers: lane i reads element i. Each lane has an element, so no mask.
    x = tl.load(x_ptr + offsets)
    tl.store(out_ptr + offsets, x + 10)


def add_ten(x: torch.Tensor) -> torch.Tensor:
    """x + 10 for a contiguous float32 tensor of 1024 elements."""
    # The kernel returns nothing; it writes into a tensor that exists before the launch.
    out = torch.empty_like(x)
    add_ten_kernel[(1,)](x, out, BLOCK=BLOCK)
    return out
