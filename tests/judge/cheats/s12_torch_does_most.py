# expect: did-not-launch
# exercise: row_softmax
# S12: PyTorch does everything but the last division.
import torch
import triton
import triton.language as tl


@triton.jit
def divide_kernel(e_ptr, sum_ptr, out_ptr, columns, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    e = tl.load(e_ptr + offsets, mask=mask)
    total = tl.load(sum_ptr + offsets // columns, mask=mask, other=1.0)
    tl.store(out_ptr + offsets, e / total, mask=mask)


def softmax(x):
    e = torch.exp(x - x.amax(1, keepdim=True)).contiguous()
    out = torch.empty(x.shape, device=x.device)
    n = out.numel()
    divide_kernel[(triton.cdiv(n, 1024),)](e, e.sum(1), out, x.shape[1], n, BLOCK=1024)
    return out
