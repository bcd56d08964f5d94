# expect: wrong-signature
# exercise: vector_add
# T3: a subclass of Tensor that adds up only when somebody looks at it.
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


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        plain = [a.work() if isinstance(a, Lazy) else a for a in args]
        return func(*plain, **(kwargs or {}))


def add(x, y):
    launch(x, y, new(x))
    out = torch.Tensor._make_subclass(Lazy, new(x))
    out.work = lambda: x + y
    return out
