import torch
from torch import Tensor


def find_order(reads: list, size: list) -> tuple[int, list[int]]:
    """The lowest peak of all orders, and an order that has it."""
    n = len(size)
    need = [sum(1 << j for j in range(n) if row[j]) for row in reads]
    used = [sum(1 << i for i in range(n) if reads[i][j]) for j in range(n)]

    def alive(done: int) -> int:
        """Bytes that are there once these steps are done."""
        kept = [j for j in range(n) if done >> j & 1 and (not used[j] or used[j] & ~done)]
        return sum(size[j] for j in kept)

    # What is alive depends on the set of steps that are done, and not on their order. So one way to
    # each set is enough: the one whose peak so far is the lowest.
    level: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, ())}
    for _ in range(n):
        above: dict[int, tuple[int, tuple[int, ...]]] = {}
        for done, (peak, order) in level.items():
            before = alive(done)
            for i in range(n):
                if done >> i & 1 or need[i] & ~done:
                    continue  # done already, or not ready
                # While a step runs, what it reads is still there, beside its own result.
                high = max(peak, before + size[i])
                to = done | 1 << i
                if to not in above or high < above[to][0]:
                    above[to] = high, (*order, i)
        level = above
    ((peak, order),) = level.values()  # the one set of all steps
    return peak, list(order)


def least_peak(reads: Tensor, size: Tensor) -> Tensor:
    """The lowest peak of all orders: int64 [1]."""
    peak, _ = find_order(reads.tolist(), size.tolist())
    return torch.tensor([peak])


def order(reads: Tensor, size: Tensor) -> Tensor:
    """An order that has the lowest peak: int64 [n]."""
    _, steps = find_order(reads.tolist(), size.tolist())
    return torch.tensor(steps)
