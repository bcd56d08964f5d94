# expect: did-not-launch
# exercise: flash_attention
# S12: PyTorch computes the attention; the kernel adds two halves of it.
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def attention(q, k, v, causal=False):
    half = (
        torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal).contiguous() / 2
    )
    out = torch.empty(half.shape, device=half.device)
    n = out.numel()
    add_kernel[(triton.cdiv(n, 1024),)](half, half, out, n, BLOCK=1024)
    return out
