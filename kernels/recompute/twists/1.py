from itertools import product

import torch


def recompute(reads, size, time, wanted, budget):
    best = None
    for kept in product((False, True), repeat=len(size)):
        kept = torch.tensor(kept)
        taken = int(size[kept].sum())
        if taken > budget:
            continue
        again = torch.zeros_like(kept)
        for value in reversed(range(len(size))):
            asked = wanted[value] or bool((again & reads[:, value]).any())
            again[value] = asked and not kept[value]
        cost = float(time[again].sum())
        if best is None or (cost, taken) < best[:2]:
            best = cost, taken, kept
    return best[2]
