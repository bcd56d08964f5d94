"""Calls the learner's `fold`. Plain values leave it."""

import torch


def arguments():
    """The arguments of `fold`, the same at each call."""
    g = torch.Generator().manual_seed(22)
    return [1 + torch.randn(shape, generator=g) for shape in ((3, 5), (3,), (5,), (5,))]


ARGUMENTS = {
    "": arguments,
    " without a bias": lambda: [*arguments()[:1], None, *arguments()[2:]],
    " after a norm without a bias": lambda: [*arguments()[:3], None],
}


def probe(module, device):
    found = {}
    for what, given in ARGUMENTS.items():
        weight, bias = module.fold(*given())
        found[what] = weight.flatten().tolist() + bias.tolist()
    return found
