import torch


def gqa_share(weight: torch.Tensor, heads: int, kv_heads: int) -> torch.Tensor:
    """Return `weight`, [heads * D, ...], with neighbouring heads averaged: [kv_heads * D, ...]."""
    group = heads // kv_heads
    # Rows are head by head, and the heads of a group are neighbours: [kv_heads, group, D, ...].
    parts = weight.reshape(kv_heads, group, weight.shape[0] // heads, *weight.shape[1:])
    # Sums of float16 may pass its largest number, and those of bfloat16 lose their last bits.
    wide = parts.to(torch.float32 if weight.dtype != torch.float64 else torch.float64)
    return wide.mean(1).flatten(0, 1).to(weight.dtype)
