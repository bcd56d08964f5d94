# expect: wrong-graph
import numpy as np
import torch
from torch.library import custom_op


def norm_rows(values: np.ndarray) -> np.ndarray:
    """The library's routine, [rows, columns] to [rows]. Leave it as it is."""
    return np.sqrt((values * values).sum(axis=1))


@custom_op("tutor::row_norm", mutates_args=())
def registered(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(norm_rows(x.numpy()))


@registered.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return x.new_empty(x.shape[0])


def setup_context(ctx, inputs, output):
    (x,) = inputs
    ctx.save_for_backward(x, output)


def backward(ctx, grad):
    x, norm = ctx.saved_tensors
    column = norm[:, None]
    slope = torch.where(column > 0, x / column, 0.0)
    return grad[:, None] * slope


registered.register_autograd(backward, setup_context=setup_context)


def row_norm(x):
    return torch.linalg.vector_norm(x, dim=1)
