import numpy as np
import torch


def norm_rows(values: np.ndarray) -> np.ndarray:
    return np.sqrt((values * values).sum(axis=1))


torch.library.define("tutor::row_norm", "(Tensor x) -> Tensor")


@torch.library.impl("tutor::row_norm", "cpu")
def _(x):
    return torch.from_numpy(norm_rows(x.numpy()))


@torch.library.register_fake("tutor::row_norm")
def _(x):
    return x.new_empty(x.shape[0])


def setup_context(ctx, inputs, output):
    ctx.save_for_backward(*inputs, output)


def backward(ctx, grad):
    x, norm = ctx.saved_tensors
    safe = torch.where(norm == 0, 1.0, norm)
    return (grad / safe)[:, None] * x


torch.library.register_autograd("tutor::row_norm", backward, setup_context=setup_context)


def row_norm(x):
    return torch.ops.tutor.row_norm(x)
