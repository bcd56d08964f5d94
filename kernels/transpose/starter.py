import torch
import triton
import triton.language as tl


@triton.jit
def transpose_kernel(x_ptr, out_ptr, R, C, row_stride, column_stride, BLOCK: tl.constexpr):
    # Write the kernel: which tile of x is this
    # program's, and where does that tile land in out?
    pass


def transpose(x: torch.Tensor) -> torch.Tensor:
    """[rows, columns] -> [columns, rows], float32, a new contiguous tensor."""
    rows, columns = x.shape
    out = torch.empty((columns, rows), dtype=x.dtype, device=x.device)
    # Write the launch: a 2-D grid that covers the
    # matrix with tiles.
    return out
