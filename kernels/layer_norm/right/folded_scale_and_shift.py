import torch
import triton
import triton.language as tl


@triton.jit
def layer_norm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    x = tl.load(x_ptr + row * columns + column, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    away = tl.where(mask, x, mean) - mean
    root = tl.math.rsqrt(tl.sum(away * away, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + column, mask=mask, other=1.0)
    bias = tl.load(bias_ptr + column, mask=mask, other=0.0)
    tl.store(out_ptr + row * columns + column, tl.fma(away, root * weight, bias), mask=mask)


def layer_norm(x, weight, bias, eps):
    x, weight, bias = x.contiguous(), weight.contiguous(), bias.contiguous()
    rows, columns = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    layer_norm_kernel[(rows,)](x, weight, bias, out, columns, eps, BLOCK=block, num_warps=8)
    return out
