import torch


def pack_int4(w: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return the codes of `w` [N, K], two a byte, uint8 [N, K // 2]. `scale` is [N, K // group]."""
    n, groups = scale.shape
    each = scale.double().unsqueeze(-1)
    ratio = w.double().reshape(n, groups, -1) / each
    ratio = torch.where(each == 0, 0.0, ratio)
    codes = (torch.round(ratio) + 7).clamp(0, 14).to(torch.uint8)
    low, high = codes.reshape(n, -1, 2).unbind(-1)
    return (low | (high << 4)).contiguous()
