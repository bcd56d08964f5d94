# expect: wrong-values
import torch
from torch import Tensor


def rounded(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def live(tensors: Tensor, alignment: int) -> Tensor:
    rows = tensors.tolist()
    alive = [0] * (1 + max(last for _, _, last in rows))
    for size, first, last in rows:
        for step in range(first, last + 1):
            alive[step] += rounded(size, alignment)
    return torch.tensor(alive)


def plan(tensors: Tensor, alignment: int) -> Tensor:
    rows = tensors.tolist()
    home, storages = [0] * len(rows), []
    for i in sorted(range(len(rows)), key=lambda i: rows[i][1]):
        size, first, last = rows[i]
        free = [k for k, (_, ends) in enumerate(storages) if ends < first]
        k = min(free, key=lambda k: abs(storages[k][0] - size), default=len(storages))
        storages[k : k + 1] = [(max(size, *(s for s, _ in storages[k : k + 1]), 0), last)]
        home[i] = k
    begin = [0]
    for size, _ in storages:
        begin.append(begin[-1] + rounded(size, alignment))
    return torch.tensor([begin[k] for k in home])
