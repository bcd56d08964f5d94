"""The implementation copies, and the backward computes the norm again."""

import numpy as np
import torch


def norm_rows(values):
    return np.sqrt((values * values).sum(axis=1))


@torch.library.custom_op("tutor::row_norm", mutates_args=(), device_types="cpu")
def _operator(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty(x.shape[0], dtype=torch.float32)
    out.copy_(torch.tensor(norm_rows(np.ascontiguousarray(x.numpy()))))
    return out


_operator.register_fake(lambda x: torch.empty(x.shape[:1], dtype=x.dtype, device=x.device))


def _backward(ctx, grad):
    squares = (ctx.x * ctx.x).sum(1, keepdim=True)
    return (
        grad[:, None] * ctx.x * torch.where(squares > 0, squares.rsqrt(), torch.zeros_like(squares))
    )


def _setup(ctx, inputs, output):
    (ctx.x,) = inputs


_operator.register_autograd(_backward, setup_context=_setup)


def row_norm(x):
    return _operator(x)
