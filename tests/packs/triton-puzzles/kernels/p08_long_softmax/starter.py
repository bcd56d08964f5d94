import torch
import triton
import triton.language as tl

BLOCK = 128


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    # Write the kernel.
    pass


def long_softmax(x: torch.Tensor) -> torch.Tensor:
    """The softmax of each row."""
    out = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=BLOCK)
    return out
