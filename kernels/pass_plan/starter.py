import json

import torch
from torch import Tensor


def plan(config: str, group: int, tokens: int) -> Tensor:
    """Return the eleven promised numbers, float64 [11]."""
    shape = json.loads(config)
    width, hidden, layers = shape["width"], shape["hidden"], shape["layers"]
    sizes = [(width, width), (hidden, width), (width, hidden)]
    # Complete the seven sizes, then work out each
    # promise.
    weights = layers * sum(n * k for n, k in sizes)
    promised = [weights] + [0.0] * 10
    return torch.tensor(promised, dtype=torch.float64)
