import json

import torch
from torch import Tensor


def plan(config: str, group: int, tokens: int) -> Tensor:
    """Return the eleven promised numbers, float64 [11]."""
    shape = json.loads(config)
    width, hidden, layers = shape["width"], shape["hidden"], shape["layers"]
    keys = shape["kv_heads"] * (width // shape["heads"])
    sizes = [(width, width)] * 2 + [(keys, width)] * 2
    sizes += [(hidden, width)] * 2 + [(width, hidden)]
    weights = layers * sum(n * k for n, k in sizes)
    codes = weights / 2
    scales = 2 * weights / group
    # The embedding is one matrix, though the logits read it again.
    kept = 4 * (shape["characters"] * width + (2 * layers + 1) * width)
    share = (codes + scales + kept) / (4 * weights + kept)
    bits = 8 * (codes + scales) / weights
    kernels = len(sizes) * layers
    flop = 2 * tokens * weights
    through = layers * sum(4 * tokens * (n + k) for n, k in sizes)
    moved = codes + scales + through
    # Half a step of 1 / 7 a weight, all of one sign.
    tolerance = hidden / 14
    feedback = 8 * max(k for _, k in sizes) ** 2
    promised = [weights, codes, scales, kept, share, bits, kernels, flop, moved]
    return torch.tensor([*promised, tolerance, feedback], dtype=torch.float64)
