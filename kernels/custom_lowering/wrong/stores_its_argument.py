# expect: wrong-graph

import torch
from torch._inductor import ir
from torch._inductor.lowering import register_lowering
from torch._inductor.virtualized import ops


@torch.library.custom_op("tutor::softclip", mutates_args=())
def softclip(x: torch.Tensor, limit: float) -> torch.Tensor:
    """x / (1 + |x| / limit), by code that PyTorch cannot look into. Leave it as it is."""
    return x / (1 + x.abs() / limit)


@softclip.register_fake
def _(x, limit):
    return torch.empty_like(x)


@register_lowering(torch.ops.tutor.softclip.default, type_promotion_kind=None)
def lower_softclip(x, limit):
    """The formula of one element, and the ranges for which it holds."""
    x = ir.ExternKernel.copy_input(x)
    load, dtype = x.make_loader(), x.get_dtype()

    def inner_fn(index):
        value = load(index)
        part = ops.truediv(ops.abs(value), ops.constant(limit, dtype))
        return ops.truediv(value, ops.add(ops.constant(1.0, dtype), part))

    return ir.Pointwise.create(
        device=x.get_device(), dtype=dtype, inner_fn=inner_fn, ranges=x.get_size()
    )


def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The function that is compiled. Leave it as it is."""
    return torch.relu(softclip(x * 2 + y, 3.0)) - softclip(y, 0.5)
