"""Functions whose backward pass launches a kernel of its own, or that have none."""

import torch
import triton
import triton.language as tl


@triton.heuristics({"NEW": lambda arguments: torch.cuda.get_device_capability()[0] >= 8})
@triton.jit
def cubed(x, out, n, B: tl.constexpr, NEW: tl.constexpr):
    tl.static_assert(NEW)
    at = tl.program_id(0) * B + tl.arange(0, B)
    value = tl.load(x + at, mask=at < n)
    tl.store(out + at, value * value * value, mask=at < n)


@triton.jit
def slope(grad, x, out, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    value = tl.load(x + at, mask=at < n)
    tl.store(out + at, tl.load(grad + at, mask=at < n) * 3 * value * value, mask=at < n)


def launch(kernel, *tensors):
    n = tensors[0].numel()
    kernel[(triton.cdiv(n, 256),)](*tensors, n, B=256)
    return tensors[-1]


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return launch(cubed, x, torch.empty(x.shape, device=x.device))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return launch(slope, grad.contiguous(), x, torch.empty_like(x))


def alone(x):
    return Cube.apply(x)


def among_operations(x):
    return torch.relu(Cube.apply(x * 2)).sum()


def without_backward(x):
    return launch(cubed, x, torch.empty_like(x))
