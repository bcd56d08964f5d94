import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    x_ptr,
    weight_ptr,
    bias_ptr,
    out_ptr,
    rows,
    columns,
    eps,
    row_stride,
    column_stride,
    ROWS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    mask = (row < rows) & (column < columns)
    x = tl.load(x_ptr + row * row_stride + column * column_stride, mask=mask, other=0.0)
    mean = tl.sum(x, axis=1, keep_dims=True) / columns
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=1, keep_dims=True) / columns
    weight = tl.load(weight_ptr + column, mask=column < columns)
    bias = tl.load(bias_ptr + column, mask=column < columns)
    y = centred / tl.sqrt(variance + eps) * weight + bias
    tl.store(out_ptr + row * columns + column, y, mask=mask)


def layer_norm(x, weight, bias, eps):
    rows, columns = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    layer_norm_kernel[(triton.cdiv(rows, 2),)](
        x,
        weight.contiguous(),
        bias.contiguous(),
        out,
        rows,
        columns,
        eps,
        *x.stride(),
        ROWS=2,
        BLOCK=triton.next_power_of_2(columns),
    )
    return out
