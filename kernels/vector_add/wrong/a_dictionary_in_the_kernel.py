# expect: compile-error
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    loaded = {}
    loaded["x"] = tl.load(x_ptr + offsets, mask=mask)
    loaded["y"] = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, loaded["x"] + loaded["y"], mask=mask)


def add(x, y):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    n = out.numel()
    add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
    return out
