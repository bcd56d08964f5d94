"""Folds bfloat16 weights with the learner's `fold`. Plain values leave it."""

import torch

SHAPES = {"a convolution": (8, 4, 3, 3), "a transposed convolution": (4, 8, 3, 3)}


def arguments(name):
    """The arguments of `fold`, the same at each call."""
    g = torch.Generator().manual_seed(21)
    weight = torch.randn(SHAPES[name], generator=g).bfloat16()
    bias = torch.randn(8, generator=g).bfloat16()
    mean, weights, shift = (1 + torch.randn(8, generator=g) for _ in range(3))
    norm = torch.stack((mean, 0.2 + torch.rand(8, generator=g), weights, shift))
    return weight, bias, norm, 1e-5, 1, name == "a transposed convolution"


def probe(module, device):
    found = {}
    for name in SHAPES:
        weight, bias = module.fold(*arguments(name))
        found[name] = {
            "shape": [list(weight.shape), list(bias.shape)],
            "dtype": [str(each.dtype) for each in (weight, bias)],
            "numbers": [weight.flatten().tolist(), bias.flatten().tolist()],
        }
    return found
