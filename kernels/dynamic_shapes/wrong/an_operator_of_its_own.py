# expect: wrong-graph
import torch

STATIC_COMPILATIONS = 8
STATIC_EAGER_CALLS = 2


@torch.library.custom_op("holes::row_norm", mutates_args=())
def norm(x: torch.Tensor) -> torch.Tensor:
    rows = [(r - r.mean()) / torch.sqrt(r.var(correction=0) + 1e-5) for r in x.reshape(-1, x.shape[-1])]
    return torch.stack(rows).reshape(x.shape)


@norm.register_fake
def _(x):
    return x.new_empty(x.shape)


def fn(x: torch.Tensor) -> torch.Tensor:
    """Layer norm over the last dimension, eps = 1e-5, no weight and no bias."""
    return norm(x)
