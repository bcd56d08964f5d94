import json

import torch


def kv_bytes(config, prompts, outputs):
    c = json.loads(config)
    kv = c.get("num_key_value_heads")
    kv = c["num_attention_heads"] if kv is None else kv
    dim = c.get("head_dim")
    dim = c["hidden_size"] // c["num_attention_heads"] if dim is None else dim
    dtype = getattr(torch, c["torch_dtype"])
    token = c["num_hidden_layers"] * kv * dim * dtype.itemsize * 2
    kept = prompts + outputs - 1
    if c.get("sliding_window"):
        kept = torch.minimum(kept, torch.tensor(c["sliding_window"]))
    return kept * token
