import torch


def compress_24(w: torch.Tensor) -> torch.Tensor:
    """Return values and indices of a 2:4 weight as bytes."""
    rows, k = w.shape
    group = w.reshape(rows, k // 4, 4)
    # Which two places of each group are kept?
    place = torch.tensor([0, 1]).expand(rows, k // 4, 2)
    values = group.gather(-1, place).reshape(rows, k // 2)
    # Two bits a place, so four places in a byte.
    indices = torch.zeros(rows, k // 8, dtype=torch.uint8)
    return torch.cat((values.view(torch.uint8), indices), dim=1)
