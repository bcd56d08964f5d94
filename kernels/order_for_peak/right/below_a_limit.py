"""Is there an order below a limit? Halve the range of limits until one is left."""

import torch


def walk(need, held, size, limit):
    """An order whose peak is at most the limit, or None."""
    full, ways, stack = (1 << len(size)) - 1, {0: []}, [0]
    while stack:
        done = stack.pop()
        if done == full:
            return ways[done]
        there = held(done)
        for i, needs in enumerate(need):
            to = done | 1 << i
            if to != done and needs & done == needs and there + size[i] <= limit and to not in ways:
                ways[to] = ways[done] + [i]
                stack.append(to)
    return None


def found(reads, size):
    size = size.tolist()
    n = len(size)
    need = [sum(1 << j for j in range(n) if reads[i, j]) for i in range(n)]
    used = [sum(1 << i for i in range(n) if reads[i, j]) for j in range(n)]

    def held(done):
        return sum(
            s for j, s in enumerate(size) if done >> j & 1 and (used[j] == 0 or used[j] & ~done)
        )

    low, high = max(size), sum(size)
    while low < high:
        middle = (low + high) // 2
        if walk(need, held, size, middle) is None:
            low = middle + 1
        else:
            high = middle
    return low, walk(need, held, size, low)


def least_peak(reads, size):
    return torch.tensor([found(reads, size)[0]])


def order(reads, size):
    return torch.tensor(found(reads, size)[1])
