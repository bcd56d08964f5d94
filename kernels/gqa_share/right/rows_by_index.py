import torch


def gqa_share(weight, heads, kv_heads):
    group, D = heads // kv_heads, len(weight) // heads
    row = torch.arange(kv_heads * D)
    first = row // D * group * D + row % D
    total = torch.zeros(len(row), *weight.shape[1:], dtype=torch.float64)
    for member in range(group):
        total += weight[first + member * D]
    return (total / group).to(weight.dtype)
