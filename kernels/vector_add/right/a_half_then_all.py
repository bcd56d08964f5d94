import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    both = tl.load(x_ptr + at, mask=mask) + tl.load(y_ptr + at, mask=mask)
    tl.store(out_ptr + at, both, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    # Two tensors of other lengths begin at one address.
    for n in (max(x.numel() // 2, 1), x.numel()):
        kernel[(triton.cdiv(n, 1024),)](x[:n], y[:n], out[:n], n, BLOCK=1024)
    return out
