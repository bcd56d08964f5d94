import torch
import triton
import triton.language as tl


@triton.jit
def bias_gelu_kernel(x_ptr, bias_ptr, out_ptr, n, columns, BLOCK: tl.constexpr):
    # Write the kernel: one lane an element. Which
    # column is each lane in, and so which bias?
    pass


def bias_gelu(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Exact GELU of x + bias, float32; bias has one number for each index of x's last dimension."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    # Write the launch.
    return out
