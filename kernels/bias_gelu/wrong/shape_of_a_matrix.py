# expect: wrong-shape
import torch
import triton
import triton.language as tl


@triton.jit
def bias_gelu_kernel(x_ptr, bias_ptr, out_ptr, n, columns, bias_stride, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    bias = tl.load(bias_ptr + offsets % columns * bias_stride, mask=mask)
    v = x + bias
    y = 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476))
    tl.store(out_ptr + offsets, y, mask=mask)


def bias_gelu(x, bias):
    x = x.contiguous()
    out = torch.empty((x.numel() // x.shape[-1], x.shape[-1]), dtype=x.dtype, device=x.device)
    n = out.numel()
    bias_gelu_kernel[(triton.cdiv(n, 1024),)](
        x, bias, out, n, x.shape[-1], bias.stride(0), BLOCK=1024
    )
    return out
