# expect: wrong-values
import torch.nn.functional as F


def fn(x):
    return F.layer_norm(x, x.shape[-1:], eps=1e-3)
