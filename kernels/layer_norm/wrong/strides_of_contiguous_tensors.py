# expect: wrong-stride
import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(
    x_ptr, weight_ptr, bias_ptr, out_ptr, columns, eps,
    row_stride, column_stride, weight_stride, bias_stride, BLOCK: tl.constexpr,
):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(x_ptr + row * columns + column, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    weight = tl.load(weight_ptr + column, mask=mask, other=0.0)
    bias = tl.load(bias_ptr + column, mask=mask, other=0.0)
    y = centred * tl.rsqrt(variance + eps) * weight + bias
    tl.store(out_ptr + row * columns + column, y, mask=mask)


def layer_norm(x, weight, bias, eps):
    rows, columns = x.shape
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    layer_norm_kernel[(rows,)](
        x, weight, bias, out, columns, eps, *x.stride(), weight.stride(0), bias.stride(0),
        BLOCK=triton.next_power_of_2(columns),
    )
    return out
