import json

import torch


def plan(config, group, tokens):
    shape = json.loads(config)
    width, hidden, layers = shape["width"], shape["hidden"], shape["layers"]
    keys = shape["kv_heads"] * (width // shape["heads"])
    outputs = torch.tensor([width, keys, keys, width, hidden, hidden, width]).double()
    inputs = torch.tensor([width] * 6 + [hidden]).double()
    one = torch.ones(7).double()
    table = torch.stack([outputs * inputs, outputs * inputs / group, inputs + outputs, one], 1)
    adds = torch.tensor(
        [
            [1.0, 0.5, 0, 0, 2 * tokens, 0.5],
            [0, 0, 2, 0, 0, 2],
            [0, 0, 0, 0, 0, 4 * tokens],
            [0, 0, 0, 1, 0, 0],
        ]
    ).double()
    weights, codes, scales, kernels, flop, moved = (layers * (table @ adds).sum(0)).tolist()
    kept = 4 * width * (shape["characters"] + 2 * layers + 1)
    share = (codes + scales + kept) / (4 * weights + kept)
    bits = 8 * (codes + scales) / weights
    numbers = [weights, codes, scales, kept, share, bits, kernels, flop, moved]
    return torch.tensor([*numbers, hidden / 14, 8 * max(width, hidden) ** 2]).double()
