# expect: crash or wrong-values
import torch


def compress_24(w: torch.Tensor) -> torch.Tensor:
    rows, k = w.shape
    there = w != 0
    values = w[there].reshape(rows, k // 2)
    column = torch.arange(k).expand(rows, k)[there].reshape(rows, k // 4, 2)
    place = column % 4
    four = (place[..., 0] | (place[..., 1] << 2)).to(torch.uint8)
    indices = four[:, 0::2] | (four[:, 1::2] << 4)
    return torch.cat((values.view(torch.uint8), indices), dim=1)
