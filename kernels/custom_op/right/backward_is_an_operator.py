"""torch.library's functions as decorators; the backward is a second operator with its own fake."""

import numpy as np
import torch


def norm_rows(values):
    return np.sqrt((values * values).sum(axis=1))


torch.library.define("tutor::row_norm", "(Tensor x) -> Tensor")


@torch.library.impl("tutor::row_norm", "cpu")
def run(x):
    return torch.as_tensor(norm_rows(x.detach().numpy()))


@torch.library.register_fake("tutor::row_norm")
def describe(x):
    return x.new_empty((x.size(0),))


@torch.library.custom_op("tutor::row_norm_backward", mutates_args=())
def slope(grad: torch.Tensor, x: torch.Tensor, norm: torch.Tensor) -> torch.Tensor:
    return x * (grad / norm.masked_fill(norm == 0, 1.0))[:, None]


@slope.register_fake
def _(grad, x, norm):
    return x * norm[:, None]


class Kept:
    @staticmethod
    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    def backward(ctx, grad):
        return slope(grad, *ctx.saved_tensors)


torch.library.register_autograd("tutor::row_norm", Kept.backward, setup_context=Kept.setup)
row_norm = torch.ops.tutor.row_norm
