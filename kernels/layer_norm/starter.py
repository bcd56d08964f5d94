import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, columns, eps,
    row_stride, column_stride, weight_stride, bias_stride, BLOCK: tl.constexpr,
):  # fmt: skip
    # Write the kernel: load the row, then mean,
    # difference, variance, and one store.
    pass


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    """Layer norm over the last dimension of a float32 matrix with at most 16384 columns."""
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    # Write the launch: one program a row, a block that
    # holds all of it, a stride for each input.
    return out
