"""The functions and objects of torch.library, with the gradient by normalize."""

import numpy as np
import torch


def norm_rows(values):
    return np.sqrt((values * values).sum(axis=1))


library = torch.library.Library("tutor", "FRAGMENT")
library.define("row_norm(Tensor x) -> Tensor")
library.impl(
    "row_norm", lambda x: torch.from_numpy(norm_rows(x.numpy())), "CompositeExplicitAutograd"
)
torch.library.register_fake("tutor::row_norm", lambda x: torch.empty(x.size(0)), lib=library)


def keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad.unsqueeze(1) * torch.nn.functional.normalize(x, dim=1)


torch.library.register_autograd("tutor::row_norm", backward, setup_context=keep, lib=library)


def row_norm(x):
    return torch.ops.tutor.row_norm.default(x)
