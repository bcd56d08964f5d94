import json

import numpy as np
import torch


def plan(config, group, tokens):
    c = json.loads(config)
    d, h, n = c["width"], c["hidden"], c["layers"]
    kv = d * c["kv_heads"] // c["heads"]
    w = n * (2 * d * d + 2 * kv * d + 3 * h * d)
    rest = 4 * d * (c["characters"] + 1 + 2 * n)
    bits = 4 + 16 / group
    small = w * bits / 8
    per_token = 4 * n * (4 * d + 2 * (kv + d) + 3 * (h + d))
    numbers = np.array(
        [w, w / 2, 2 * w / group, rest, (small + rest) / (4 * w + rest), bits, 7 * n,
         2 * w * tokens, small + tokens * per_token, h / 7 / 2, 8 * max(d, h) ** 2]
    )
    return torch.from_numpy(numbers.astype(np.float64))
