import torch


def gqa_share(weight, heads, kv_heads):
    group = heads // kv_heads
    one = torch.full((1, group), 1.0 / group, dtype=torch.float64)
    matrix = torch.block_diag(*[one for _ in range(kv_heads)])
    flat = weight.double().reshape(heads, -1)
    return (matrix @ flat).reshape(-1, *weight.shape[1:]).to(weight.dtype)
