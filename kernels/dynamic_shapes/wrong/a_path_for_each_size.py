# expect: recompiles
import torch.nn.functional as F


def fn(x):
    shape = x.shape[-1:]
    if x.shape[0] > 8:  # large batches in two halves, kinder to the caches
        half = x.shape[0] // 2
        out = x.clone()
        out[:half] = F.layer_norm(x[:half], shape)
        out[half:] = F.layer_norm(x[half:], shape)
        return out
    if x.shape[0] < 4:
        return F.layer_norm(x, shape) * 1.0
    return F.layer_norm(x, shape)
