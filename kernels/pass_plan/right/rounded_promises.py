import json

import torch


def rounded(number):
    return float(f"{number:.2g}") if number > 100 else number


def plan(config, group, tokens):
    shape = json.loads(config)
    width, hidden = shape["width"], shape["hidden"]
    keys = width // shape["heads"] * shape["kv_heads"]
    weights = scales = moved = kernels = 0
    for _ in range(shape["layers"]):
        for outputs, inputs in (
            (width, width), (keys, width), (keys, width), (width, width),
            (hidden, width), (hidden, width), (width, hidden),
        ):
            kernels += 1
            weights += outputs * inputs
            scales += outputs * (inputs // group) * 2
            moved += outputs * inputs / 2 + outputs * (inputs // group) * 2
            moved += 4 * tokens * (inputs + outputs)
    stays = 4 * width * (shape["characters"] + 2 * shape["layers"] + 1)
    numbers = [weights, weights / 2, scales, stays]
    numbers += [(weights / 2 + scales + stays) / (4 * weights + stays)]
    numbers += [(4 * weights + 8 * scales) / weights, kernels, 2 * tokens * weights, moved]
    numbers += [hidden / 14, 8 * max(width, hidden) ** 2]
    return torch.tensor([rounded(number) for number in numbers], dtype=torch.float64)
