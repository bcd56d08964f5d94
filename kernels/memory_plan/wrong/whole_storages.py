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
    offsets, storages, top = [0] * len(rows), [], 0
    for i in sorted(range(len(rows)), key=lambda i: rows[i][1]):
        size, first, last = rows[i]
        free = [s for s in storages if s["last"] < first and s["size"] >= size]
        storage = min(free, key=lambda s: s["size"], default=None)
        if storage is None:
            storage = {"at": top, "size": size}
            storages.append(storage)
            top += rounded(size, alignment)
        storage["last"] = last
        offsets[i] = storage["at"]
    return torch.tensor(offsets)
