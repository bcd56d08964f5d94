"""The set with the lowest peak so far goes on first: the first way to the full set is the best."""

import heapq

import torch


def search(reads, size):
    n = size.numel()
    needs = [frozenset(row.nonzero().flatten().tolist()) for row in reads]
    readers = [frozenset(column.nonzero().flatten().tolist()) for column in reads.t()]
    weights = size.tolist()
    queue, seen = [(0, [], frozenset())], set()
    while queue:
        peak, order, done = heapq.heappop(queue)
        if len(order) == n:
            return peak, order
        if done in seen:
            continue
        seen.add(done)
        held = sum(weights[j] for j in done if not readers[j] or readers[j] - done)
        for i in range(n):
            if i not in done and needs[i] <= done:
                heapq.heappush(queue, (max(peak, held + weights[i]), [*order, i], done | {i}))
    raise ValueError("no order")


def least_peak(reads, size):
    return torch.tensor([search(reads, size)[0]], dtype=torch.int64)


def order(reads, size):
    return torch.tensor(search(reads, size)[1], dtype=torch.int64)
