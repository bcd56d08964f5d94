"""Calls the learner's `alone` once more, to see how often its numbers are rounded."""

import torch


def arguments():
    """Return the arguments of `alone`, the same at each call."""
    g = torch.Generator().manual_seed(26)
    return torch.randn(1, 8, 96, generator=g).half(), 1 + torch.randn(8, generator=g)


def probe(module, device):
    return {"numbers": module.alone(*arguments()).flatten().tolist()}
