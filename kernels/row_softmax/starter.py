import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    # Write the kernel: which row is this program's?
    # Load it, and what for the lanes past its end?
    # Then maximum, difference, exponential, sum,
    # quotient, and one store.
    pass


def softmax(x: torch.Tensor) -> torch.Tensor:
    """Softmax over the last dimension of a float32 matrix with at most 16384 columns."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    # Write the launch: one program a row, and a block
    # that holds all of its columns.
    return out
