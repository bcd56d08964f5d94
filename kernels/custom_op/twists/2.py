import numpy as np
import torch
from torch.library import custom_op


def norm_rows(values: np.ndarray) -> np.ndarray:
    return np.sqrt((values * values).sum(axis=1))


@custom_op("tutor::row_norm", mutates_args=())
def row_norm(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(norm_rows(x.numpy()))


@custom_op("tutor::row_norm_backward", mutates_args=())
def row_norm_backward(grad: torch.Tensor, x: torch.Tensor, norm: torch.Tensor) -> torch.Tensor:
    g, v, n = grad.numpy()[:, None], x.numpy(), norm.numpy()[:, None]
    out = np.zeros(v.shape, np.float32)
    np.divide(v, n, out=out, where=n > 0)
    return torch.from_numpy(g * out)


@row_norm.register_fake
def _(x):
    return x.new_empty(x.shape[0])


@row_norm_backward.register_fake
def _(grad, x, norm):
    return x.new_empty(x.shape)


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(inputs[0], output)


def backward(ctx, grad):
    return row_norm_backward(grad, *ctx.saved_tensors)


row_norm.register_autograd(backward, setup_context=setup_context)
