import torch


def gqa_share(weight: torch.Tensor, heads: int, kv_heads: int) -> torch.Tensor:
    """Return `weight`, [heads * D, ...], with neighbouring heads averaged: [kv_heads * D, ...]."""
    group = heads // kv_heads
    # Write it: average the heads of each group.
    return torch.zeros_like(weight[: weight.shape[0] // group])
