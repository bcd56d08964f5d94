import torch
import triton
import triton.language as tl

BLOCK = 32


@triton.jit
def backward_kernel(x_ptr, y_ptr, dz_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr):
    # Write the kernel.
    pass


def backward(x: torch.Tensor, y: torch.Tensor, dz: torch.Tensor) -> torch.Tensor:
    """The derivative by x of relu(x * y[:, None]), given that by the result."""
    rows, columns = x.shape
    out = torch.empty_like(x)
    grid = (triton.cdiv(columns, BLOCK), triton.cdiv(rows, BLOCK))
    backward_kernel[grid](x, y, dz, out, columns, rows, BLOCK=BLOCK)
    return out
