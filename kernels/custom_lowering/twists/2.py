import torch
from torch._inductor.lowering import make_pointwise, register_lowering
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
    def formula(value):
        dtype = x.get_dtype()
        part = ops.truediv(ops.abs(value), ops.constant(limit, dtype))
        return ops.truediv(value, ops.add(ops.constant(1.0, dtype), part))

    return make_pointwise(formula)(x)


def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The function that is compiled. Leave it as it is."""
    return torch.relu(softclip(x * 2 + y, 3.0)) - softclip(y, 0.5)
