# expect: too-much-traffic
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_kernel(x_ptr, bias_ptr, out_ptr, n, columns, bias_stride, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    bias = tl.load(bias_ptr + i % columns * bias_stride, mask=mask)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=mask) + bias, mask=mask)


@triton.jit
def gelu_kernel(v_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(v_ptr + i, mask=mask)
    tl.store(out_ptr + i, 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476)), mask=mask)


def bias_gelu(x, bias):
    x = x.contiguous()
    total = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = out.numel()
    grid = (triton.cdiv(n, BLOCK),)
    add_kernel[grid](x, bias, total, n, x.shape[-1], bias.stride(0), BLOCK=BLOCK)
    gelu_kernel[grid](total, out, n, BLOCK=BLOCK)
    return out
