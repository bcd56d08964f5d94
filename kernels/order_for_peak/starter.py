import torch
from torch import Tensor


def find_order(reads: list, size: list) -> tuple[int, list[int]]:
    """A peak, and an order that has it.

    A set of steps is a number: bit j is step j.
    """
    n = len(size)
    need = [sum(1 << j for j in range(n) if row[j]) for row in reads]
    used = [
        sum(1 << i for i in range(n) if reads[i][j])
        for j in range(n)
    ]

    def alive(done: int) -> int:
        """Bytes that are there once these are done."""
        return sum(
            size[j]
            for j in range(n)
            if done >> j & 1
            and (not used[j] or used[j] & ~done)
        )

    peak, done, order = 0, 0, []
    while len(order) < n:
        ready = [
            i
            for i in range(n)
            if not done >> i & 1 and not need[i] & ~done
        ]
        # So far: what leaves the least alive is next.
        # That is a guess, and nobody looks back.
        i = min(ready, key=lambda i: alive(done | 1 << i))
        peak = max(peak, alive(done) + size[i])
        done |= 1 << i
        order.append(i)
    return peak, order


def least_peak(reads: Tensor, size: Tensor) -> Tensor:
    """The lowest peak of all orders: int64 [1]."""
    peak, _ = find_order(reads.tolist(), size.tolist())
    return torch.tensor([peak])


def order(reads: Tensor, size: Tensor) -> Tensor:
    """An order that has the lowest peak: int64 [n]."""
    _, steps = find_order(reads.tolist(), size.tolist())
    return torch.tensor(steps)
