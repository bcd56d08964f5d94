import torch


def pack_int4(w: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return the codes of `w` [N, K], two a byte, uint8 [N, K // 2]. `scale` is [N, K // group]."""
    group = w.shape[1] // scale.shape[1]
    each = scale.double().repeat_interleave(group, dim=1)
    # 0 / 0 is NaN, and NaN has no code: where the scale is 0 the ratio is 0.
    ratio = torch.where(each == 0, 0.0, w.double() / each)
    codes = (torch.round(ratio) + 7).clamp(0, 14).to(torch.uint8)
    # No code is negative any more, so no sign bit can cover the neighbour.
    low, high = codes[:, 0::2], codes[:, 1::2]
    return low | (high << 4)
