import torch


def recompute(reads, size, time, wanted, budget):
    n = len(size)
    sizes, times = size.tolist(), time.tolist()
    needs = [sum(1 << j for j in range(n) if row[j]) for row in reads.tolist()]
    goal = sum(1 << i for i, w in enumerate(wanted.tolist()) if w)
    best = None
    for kept in range(1 << n):
        taken = sum(sizes[i] for i in range(n) if kept >> i & 1)
        if taken > budget:
            continue
        again, cost = goal & ~kept, 0.0
        for i in range(n - 1, -1, -1):
            if again >> i & 1:
                cost += times[i]
                again |= needs[i] & ~kept
        if best is None or (cost, taken) < best[:2]:
            best = cost, taken, kept
    return torch.tensor([bool(best[2] >> i & 1) for i in range(n)])
