import json

import torch
from torch import nn

from tutor.judge.cases.tiny_lm import Layer, Shape


def plan(config, group, tokens):
    given = json.loads(config)
    characters = given.pop("characters")
    shape = Shape(**given)
    with torch.device("meta"):
        layer = Layer(shape)
    linear = [each for each in layer.modules() if isinstance(each, nn.Linear)]
    norms = shape.layers * sum(
        each.weight.numel() for each in layer.modules() if isinstance(each, nn.RMSNorm)
    )
    weights = shape.layers * sum(each.weight.numel() for each in linear)
    stays = 4.0 * (norms + shape.width + characters * shape.width)
    four = 0.5 * weights
    scales = weights / group * torch.finfo(torch.float16).bits / 8
    ends = sum(each.in_features + each.out_features for each in linear) * shape.layers
    return torch.tensor(
        [
            weights,
            four,
            scales,
            stays,
            (four + scales + stays) / (weights * 4 + stays),
            4 + 16 / group,
            len(linear) * shape.layers,
            2.0 * weights * tokens,
            four + scales + 4.0 * tokens * ends,
            layer.down.in_features * 0.5 / 7,
            max(each.in_features for each in linear) ** 2 * 8,
        ],
        dtype=torch.float64,
    )
