"""Python's operators, which the handler of ops understands; the larger of a number and its negative."""

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
    # x is no tensor here: it is a box around the IR of whatever computes x. The loader writes that
    # formula, or a load, into ours, at the index that we pass on.
    load, dtype = x.make_loader(), x.get_dtype()

    def inner_fn(index):
        value = load(index)
        # ops speaks of one element. Numbers become constants with a dtype, and `limit` is known
        # while lowering, so each use of the operator gets its own constant.
        size = ops.maximum(value, ops.neg(value))
        return value * ops.constant(limit, dtype) / (ops.constant(limit, dtype) + size)

    return ir.Pointwise.create(
        device=x.get_device(), dtype=dtype, inner_fn=inner_fn, ranges=x.get_size()
    )


def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The function that is compiled. Leave it as it is."""
    return torch.relu(softclip(x * 2 + y, 3.0)) - softclip(y, 0.5)
