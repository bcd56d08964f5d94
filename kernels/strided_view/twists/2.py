import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x_ptr, out_ptr, n, columns, sr, sc, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i // columns * sr + i % columns * sc, mask=mask)
    tl.store(out_ptr + i, 2 * x, mask=mask)


def double(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = x.numel()
    double_kernel[(triton.cdiv(n, 256),)](x, out, n, x.shape[1], *x.stride(), BLOCK=256)
    return out
