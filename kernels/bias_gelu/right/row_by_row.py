import torch
import triton
import triton.language as tl


@triton.jit
def bias_gelu_kernel(x_ptr, bias_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = column < columns
    v = tl.load(x_ptr + row * columns + column, mask=mask, other=0.0)
    v += tl.load(bias_ptr + column, mask=mask, other=0.0)
    y = v * 0.5 * (1 + tl.math.erf(v / 1.4142135623730951))
    tl.store(out_ptr + row * columns + column, y, mask=mask)


def bias_gelu(x, bias):
    x, bias = x.contiguous(), bias.contiguous()
    out = torch.empty_like(x)
    columns = x.shape[-1]
    grid = (x.numel() // columns, triton.cdiv(columns, 256))
    bias_gelu_kernel[grid](x, bias, out, columns, BLOCK=256)
    return out
