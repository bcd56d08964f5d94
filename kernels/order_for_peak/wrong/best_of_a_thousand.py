# expect: wrong-values
import random

import torch


def find_order(reads, size):
    """Draw a thousand orders, and keep the best."""
    n, dice = len(size), random.Random(0)
    readers = [[k for k in range(n) if reads[k][j]] for j in range(n)]
    best = None
    for _ in range(1000):
        order, done, peak = [], set(), 0
        while len(order) < n:
            i = dice.choice([
                i for i in range(n)
                if i not in done and all(j in done for j in range(n) if reads[i][j])
            ])
            there = [j for j in done if not readers[j] or any(k not in done for k in readers[j])]
            peak = max(peak, size[i] + sum(size[j] for j in there))
            order.append(i)
            done.add(i)
        if best is None or peak < best[0]:
            best = peak, order
        if n < 3:
            break
    return best


def least_peak(reads, size):
    return torch.tensor([find_order(reads.tolist(), size.tolist())[0]])


def order(reads, size):
    return torch.tensor(find_order(reads.tolist(), size.tolist())[1])
