import torch

LIMITED_COMPILATIONS = 4
LIMITED_UNCOMPILED_CALLS = 18


def fn(x):
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, correction=0, keepdim=True)
    return (x - mean) / torch.sqrt(var + 1e-5)
