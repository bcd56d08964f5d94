import numpy as np
import torch


def pareto(points, smaller):
    table = np.where(smaller.numpy(), points.numpy(), -points.numpy())
    rows = np.flatnonzero(~np.isnan(table).any(1))
    # Sorted by all columns, a row can only be beaten by one in front of it.
    rows = rows[np.lexsort(table[rows].T[::-1])]
    kept = []
    for row in rows:
        front = table[kept]
        same_or_better = (front <= table[row]).all(1)
        if not (same_or_better & (front != table[row]).any(1)).any():
            kept.append(row)
    kept.sort(key=lambda row: (table[row, 0], row))
    places = np.full(len(table), -1)
    places[kept] = np.arange(len(kept))
    return torch.from_numpy(places)
