import json

from torch import Tensor


def kv_bytes(config: str, prompts: Tensor, outputs: Tensor) -> Tensor:
    """The most bytes of each request's cache: int64 [n]."""
    model = json.loads(config)
    heads = model["num_attention_heads"]
    layers = model["num_hidden_layers"]
    # Work out the bytes of one token, then how many
    # tokens each request keeps.
    token = layers * heads
    return prompts * token
