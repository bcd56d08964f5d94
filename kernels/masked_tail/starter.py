import torch
import triton
import triton.language as tl

BLOCK = 1024  # elements of one block


@triton.jit
def smallest_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Write the kernel: load this program's block and
    # store one number, its smallest element. What do
    # the lanes of the last block hold that have no
    # element?
    pass


def smallest_of_blocks(x: torch.Tensor) -> torch.Tensor:
    """The smallest element of each block of 1024: [n] -> [cdiv(n, 1024)]."""
    n = x.numel()
    blocks = triton.cdiv(n, BLOCK)
    out = torch.empty(blocks, dtype=x.dtype, device=x.device)
    smallest_kernel[(blocks,)](x, out, n, BLOCK=BLOCK)
    return out
