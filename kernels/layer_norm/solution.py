import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, columns, eps,
    row_stride, column_stride, weight_stride, bias_stride, BLOCK: tl.constexpr,
):  # fmt: skip
    # One program, one row, all of it in registers. 64 bits for tensors of 2**31 elements and more.
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK).to(tl.int64)
    mask = column < columns
    x = tl.load(x_ptr + row * row_stride + column * column_stride, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / columns  # lanes without a column add 0, and are not counted
    # After the subtraction those lanes hold -mean: without `where` each would add mean * mean to
    # the variance. Two passes over registers cost no memory traffic, and squares of differences
    # keep their digits where mean(x * x) - mean * mean loses them.
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    # Every program reads weight and bias again; after the first few they come from the L2 cache.
    weight = tl.load(weight_ptr + column * weight_stride, mask=mask)
    bias = tl.load(bias_ptr + column * bias_stride, mask=mask)
    # One reciprocal root a row, instead of a division for every element.
    y = centred * tl.rsqrt(variance + eps) * weight + bias
    tl.store(out_ptr + row * columns + column, y, mask=mask)


def layer_norm(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float
) -> torch.Tensor:
    """Layer norm over the last dimension of a float32 matrix with at most 16384 columns.

    weight, bias: one number a column, of any stride. eps is added to the variance.
    """
    rows, columns = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(columns)
    # 32 lanes a warp: with 4 warps 16384 columns would be 128 registers a thread for x alone.
    warps = 4 if block <= 2048 else 8 if block <= 4096 else 16
    layer_norm_kernel[(rows,)](
        x, weight, bias, out, columns, eps,
        x.stride(0), x.stride(1), weight.stride(0), bias.stride(0), BLOCK=block, num_warps=warps,
    )  # fmt: skip
    return out
