# expect: wrong-stride
import torch


def pack_int4(w: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    n, k = w.shape
    groups = scale.shape[1]
    numbers = w.to(torch.float64).reshape(n, groups, k // groups)
    step = scale.to(torch.float64).unsqueeze(-1)
    empty = step == 0
    nearest = torch.round(numbers / torch.where(empty, 1.0, step))
    codes = torch.where(empty, 7.0, (nearest + 7).clamp(0, 14))
    pairs = codes.reshape(n, k // 2, 2).to(torch.int32)
    return (pairs[..., 0] + 16 * pairs[..., 1]).to(torch.uint8)
