# expect: recompiles
import torch.nn.functional as F

seen = {}


def fn(x):
    seen[x.shape[0]] = seen.get(x.shape[0], 0) + 1
    return F.layer_norm(x, x.shape[-1:])
