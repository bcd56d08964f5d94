import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, a_row, a_col, b_row, b_col, BLOCK: tl.constexpr):
    # Write the kernel: one program computes one
    # element, the dot product of a row and a column.
    pass


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[M, K] x [K, N] -> [M, N], float32, one program an element."""
    c = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype, device=a.device)
    # Write the launch, with a grid of two axes.
    return c
