# expect: wrong-values
import torch


def compress_24(w: torch.Tensor) -> torch.Tensor:
    rows, k = w.shape
    group = w.reshape(rows, k // 4, 4)
    place = group.float().abs().topk(2, dim=-1).indices.sort(dim=-1).values
    values = group.gather(-1, place).reshape(rows, k // 2)
    four = (place[..., 0] | (place[..., 1] << 2)).to(torch.uint8)
    indices = four[:, 0::2] | (four[:, 1::2] << 4)
    return torch.cat((values.view(torch.uint8), indices), dim=1)
