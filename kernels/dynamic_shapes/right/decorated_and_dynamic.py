import torch

LIMITED_COMPILATIONS = 4
LIMITED_UNCOMPILED_CALLS = 18


@torch.compile(dynamic=True)
def fn(x):
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + 1e-5)
