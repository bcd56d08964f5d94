"""A launcher of kernels that share a name, of views that begin within 16 bytes, and in a loop."""

import torch
import triton
import triton.language as tl


def make_kernel(doubles):
    if doubles:

        @triton.jit
        def change(x, o, n, B: tl.constexpr):
            i = tl.arange(0, B)
            tl.store(o + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)

    else:

        @triton.jit
        def change(x, o, n, B: tl.constexpr):
            i = tl.arange(0, B)
            tl.store(o + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

    return change


double, grow = make_kernel(True), make_kernel(False)
double.fn.__name__ = grow.fn.__name__ = "renamed"


def launch_alike(x):
    o = torch.empty_like(x)
    for _ in range(3):
        double[(1,)](x, o, 64, B=64)
    double[(1,)](x[1:], o, 60, B=64)
    torch.library.wrap_triton(grow)[(1,)](x, o, 64, B=64)
    return o
