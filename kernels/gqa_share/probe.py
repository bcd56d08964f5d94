"""Writes into results of the learner's `gqa_share`, and looks at the weights they were made of."""

import torch


def probe(module, device):
    found = {}
    for heads, kv_heads in ((3, 3), (3, 1), (1, 1)):
        weight = torch.arange(24.0).reshape(6, 4)
        before = weight.clone()
        made = module.gqa_share(weight, heads, kv_heads)
        made.fill_(-1.0)
        found[f"{heads} heads to {kv_heads}"] = bool(torch.equal(weight, before))
    return found
