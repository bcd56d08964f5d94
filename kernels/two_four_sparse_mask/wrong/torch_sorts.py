# expect: did-not-launch
import torch


def two_four_sparse_mask(w: torch.Tensor) -> torch.Tensor:
    rows, columns = w.shape
    group = w.abs().reshape(rows, columns // 4, 4)
    order = group.argsort(dim=-1, descending=True, stable=True)[..., :2]
    mask = torch.zeros(group.shape, dtype=torch.int8, device=w.device)
    return mask.scatter_(-1, order, 1).reshape(rows, columns)
