import json
import math

import torch


def kv_bytes(config, prompts, outputs):
    """Leave out keys that are null, so that defaults serve both."""
    c = {key: value for key, value in json.loads(config).items() if value is not None}
    heads = c["num_attention_heads"]
    row = c.get("num_key_value_heads", heads) * c.get("head_dim", c["hidden_size"] / heads)
    size = 4 if "32" in c["torch_dtype"] else 2 if "16" in c["torch_dtype"] else 1
    per_token = int(row) * size * c["num_hidden_layers"] * 2
    out = torch.empty_like(prompts)
    for i in range(len(prompts)):
        read = int(prompts[i]) + max(0, int(outputs[i]) - 1)
        out[i] = per_token * int(min(read, c.get("sliding_window", math.inf)))
    return out
