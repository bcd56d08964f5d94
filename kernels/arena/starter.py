import torch
from torch import Tensor


def shared(tensors: Tensor, offsets: Tensor) -> Tensor:
    """Bytes in common while both are alive: int64 [n, n]."""
    n = len(offsets)
    # Compare each pair: lives, then bytes.
    return torch.zeros(n, n, dtype=torch.int64)


def place(
    rows: list, alignment: int, order: list
) -> list[int]:
    """Each in this order, at the lowest free offset."""
    offsets = [0] * len(rows)
    placed: list[int] = []
    for i in order:
        size, first, last = rows[i]
        taken = sorted(
            (offsets[j], offsets[j] + rows[j][0])
            for j in placed
            if rows[j][1] <= last and first <= rows[j][2]
        )
        at = 0
        for begin, end in taken:
            if begin - at >= size:
                break
            at = max(at, -(-end // alignment) * alignment)
        offsets[i] = at
        placed.append(i)
    return offsets


def arena(tensors: Tensor, alignment: int) -> Tensor:
    """Offsets within 1.05 times the bound: int64 [n]."""
    rows = tensors.tolist()
    # So far: Day 40's rule. It is not enough here.
    order = sorted(
        range(len(rows)), key=lambda i: -rows[i][0]
    )
    return torch.tensor(place(rows, alignment, order))
