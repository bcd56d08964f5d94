# expect: did-not-launch
# exercise: vector_add
# S12: NumPy adds and halves; the kernel adds the half to itself.
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


def add(x, y):
    half = torch.from_numpy((x.numpy() + y.numpy()) / 2).contiguous()
    out = torch.empty(half.shape, dtype=half.dtype)
    n = out.numel()
    add_kernel[(triton.cdiv(n, 1024),)](half, half, out, n, BLOCK=1024)
    return out
