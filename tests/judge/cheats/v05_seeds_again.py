# expect: wrong-values
# exercise: vector_add
# V5: it draws the inputs again from the seeds that come to mind, and looks the answer up.
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


def drawn(seed, shape):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, generator=generator), torch.randn(shape, generator=generator)


def add(x, y):
    torch.manual_seed(0)
    zeros = torch.zeros(x.shape, device=x.device)
    for seed in (0, 1, 42, 1234):
        a, b = drawn(seed, x.shape)
        if torch.equal(a, x.cpu()):
            return launch((a + b).to(x.device), zeros, new(x))
    return launch(zeros, zeros, new(x))
