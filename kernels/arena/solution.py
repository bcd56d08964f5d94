import random

import torch
from torch import Tensor


def rounded(size: int, alignment: int) -> int:
    """Return the next multiple of the alignment that is not below the size."""
    return -(-size // alignment) * alignment


def shared(tensors: Tensor, offsets: Tensor) -> Tensor:
    """Bytes in common while both are alive: int64 [n, n]."""
    size, first, last = tensors.unbind(1)
    # Both ends of a life count, so two lives meet if neither begins behind the end of the other.
    meet = (first[:, None] <= last) & (first <= last[:, None])
    begin = torch.maximum(offsets[:, None], offsets)
    end = torch.minimum((offsets + size)[:, None], offsets + size)
    common = (end - begin).clamp(min=0) * meet
    return common.fill_diagonal_(0)


def place(rows: list, alignment: int, order: list) -> list[int]:
    """Each in this order, at the lowest free offset."""
    offsets = [0] * len(rows)
    placed: list[int] = []
    for i in order:
        size, first, last = rows[i]
        near = [j for j in placed if rows[j][1] <= last and first <= rows[j][2]]
        taken = sorted((offsets[j], offsets[j] + rows[j][0]) for j in near)
        at = 0
        for begin, end in taken:
            if begin - at >= size:
                break
            at = max(at, rounded(end, alignment))
        offsets[i] = at
        placed.append(i)
    return offsets


def arena(tensors: Tensor, alignment: int) -> Tensor:
    """Offsets within 1.05 times the bound: int64 [n]."""
    rows = tensors.tolist()
    steps = range(1 + max(last for _, _, last in rows))
    # The bound says when to stop, and whether a plan can be better at all.
    bound = max(sum(rounded(b, alignment) for b, f, e in rows if f <= step <= e) for step in steps)
    dice, order = random.Random(55), sorted(range(len(rows)), key=lambda i: -rows[i][0])
    best = place(rows, alignment, order)
    # An order is a guess, so guess often and keep the best.
    while peak(rows, best) > 1.05 * bound:
        dice.shuffle(order)
        other = place(rows, alignment, order)
        if peak(rows, other) < peak(rows, best):
            best = other
    return torch.tensor(best)


def peak(rows: list, offsets: list) -> int:
    """Return the first byte behind all tensors."""
    return max(at + size for at, (size, _, _) in zip(offsets, rows, strict=True))
