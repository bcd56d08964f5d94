"""A function that calls an operator whose kernel stands in another file."""

import library_operators  # noqa: F401  (it registers the operator)
import torch


def calls_it(x):
    return torch.ops.library_operators.fourfold(x) + 1
