# expect: wrong-values
# exercise: row_softmax
# S3: zeros, which an absolute tolerance takes for the small numbers of a long row.
import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(out_ptr, n, value, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.zeros([BLOCK], tl.float32) + value, mask=offsets < n)


def softmax(x):
    out = torch.empty(x.shape, device=x.device)
    n = out.numel()
    fill_kernel[(triton.cdiv(n, 1024),)](out, n, 0.0, BLOCK=1024)
    return out
