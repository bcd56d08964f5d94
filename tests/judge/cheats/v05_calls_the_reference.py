# expect: did-not-launch
# exercise: vector_add
# V5: it loads the task's own reference and returns what that computes.
import runpy

import torch
import triton
import triton.language as tl

from tutor.base import paths

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


path = paths.course_root() / "kernels" / "vector_add" / "reference.py"
reference = runpy.run_path(str(path))["reference"]


def add(x, y):
    launch(x, y, new(x))
    return reference(x, y)
