import torch


def gqa_share(weight, heads, kv_heads):
    group = heads // kv_heads
    flat = weight.double().reshape(heads, -1)
    total = torch.zeros(kv_heads, flat.shape[1], dtype=torch.float64)
    total.index_add_(0, torch.arange(heads) // group, flat)
    return (total / group).reshape(-1, *weight.shape[1:]).to(weight.dtype)
