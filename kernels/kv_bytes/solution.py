import json

import torch
from torch import Tensor

BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float8_e4m3fn": 1}


def kv_bytes(config: str, prompts: Tensor, outputs: Tensor) -> Tensor:
    """The most bytes of each request's cache: int64 [n]."""
    model = json.loads(config)
    heads = model["num_attention_heads"]
    # `get` is None for a key that is missing and for null.
    kv_heads = model.get("num_key_value_heads") or heads
    head = model.get("head_dim") or model["hidden_size"] // heads
    # A key and a value, in each layer.
    token = 2 * model["num_hidden_layers"] * kv_heads * head * BYTES[model["torch_dtype"]]
    window = model.get("sliding_window")
    sizes = []
    for prompt, output in zip(prompts.tolist(), outputs.tolist(), strict=True):
        # The last token is written, and nobody reads it again.
        kept = prompt + output - 1
        if window is not None:
            kept = min(kept, window)
        sizes.append(kept * token)
    return torch.tensor(sizes, dtype=torch.int64)
