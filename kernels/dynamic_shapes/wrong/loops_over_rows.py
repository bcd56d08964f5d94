# expect: recompiles
import torch
import torch.nn.functional as F


def fn(x):
    # one row at a time, so that the normalised shape is simply the row's
    return torch.stack([F.layer_norm(row, row.shape[-1:]) for row in x])
