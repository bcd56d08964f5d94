import torch


@torch.library.custom_op("tutor::softclip", mutates_args=())
def softclip(x: torch.Tensor, limit: float) -> torch.Tensor:
    """x / (1 + |x| / limit), by code that PyTorch cannot look into. Leave it as it is."""
    return x / (1 + x.abs() / limit)


@softclip.register_fake
def _(x, limit):
    return torch.empty_like(x)


# Write a lowering of softclip here, and register it.


def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The function that is compiled. Leave it as it is."""
    return torch.relu(softclip(x * 2 + y, 3.0)) - softclip(y, 0.5)
