import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": 512}), triton.Config({"BLOCK": 2048})], key=["n"])
@triton.jit
def bias_gelu_kernel(x_ptr, bias_ptr, out_ptr, n, columns, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    v = tl.load(x_ptr + offsets, mask) + tl.load(bias_ptr + offsets % columns, mask)
    tl.store(out_ptr + offsets, 0.5 * v * (1.0 + tl.erf(v * 0.7071067811865476)), mask)


def bias_gelu(x, bias):
    x, bias = x.contiguous(), bias.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK"]),)  # noqa: E731
    bias_gelu_kernel[grid](x, bias, out, n, bias.numel())
    return out
