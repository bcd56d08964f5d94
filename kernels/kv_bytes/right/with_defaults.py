import json
from types import SimpleNamespace

import numpy
import torch


def kv_bytes(config, prompts, outputs):
    model = SimpleNamespace(
        **{"num_key_value_heads": None, "head_dim": None, "sliding_window": None}
    )
    vars(model).update(json.loads(config))
    if model.head_dim is None:
        model.head_dim = model.hidden_size // model.num_attention_heads
    if model.num_key_value_heads is None:
        model.num_key_value_heads = model.num_attention_heads
    width = {"t32": 4, "t16": 2, "3fn": 1}[model.torch_dtype[-3:]]
    numbers = model.num_hidden_layers * model.num_key_value_heads * model.head_dim
    tokens = prompts.numpy() + outputs.numpy() - 1
    tokens = numpy.minimum(tokens, model.sliding_window or tokens)
    return torch.from_numpy(tokens * numbers * 2 * width)
