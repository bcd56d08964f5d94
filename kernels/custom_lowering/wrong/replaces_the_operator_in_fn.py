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


def formula(x, limit):
    return x / (1 + x.abs() / limit)


def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(formula(x * 2 + y, 3.0)) - formula(y, 0.5)
