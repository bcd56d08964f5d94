# expect: wrong-stream
# exercise: vector_add
# T1: the kernel runs on a stream of its own, where events on the current stream do not see it;
# the judge's timer must wait for the whole device, and its wall clock must agree.
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def launch(x, y, out):
    n = out.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x.contiguous(), y.contiguous(), out, n, BLOCK=BLOCK)
    return out


def new(x):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def add(x, y):
    if not x.is_cuda:
        return launch(x, y, new(x))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        return launch(x, y, new(x))
