# expect: timeout
import torch


def find_order(reads, size):
    """Try each order, and leave a way that is no better than the best so far."""
    n = len(size)
    readers = [[k for k in range(n) if reads[k][j]] for j in range(n)]
    best = [sum(size) + 1, []]

    def go(order, peak):
        if peak >= best[0]:
            return
        if len(order) == n:
            best[:] = peak, list(order)
            return
        there = sum(
            size[j] for j in order
            if not readers[j] or any(k not in order for k in readers[j])
        )
        for i in range(n):
            if i not in order and all(j in order for j in range(n) if reads[i][j]):
                go([*order, i], max(peak, there + size[i]))

    go([], 0)
    return best


def least_peak(reads, size):
    return torch.tensor([find_order(reads.tolist(), size.tolist())[0]])


def order(reads, size):
    return torch.tensor(find_order(reads.tolist(), size.tolist())[1])
