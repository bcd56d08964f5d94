from itertools import product

import torch


def dependence_vectors(extents, strides, write, reads):
    points = list(product(*(range(e) for e in extents.tolist())))
    writer = {}
    for p in points:
        writer[tuple((strides * torch.tensor(p) + write).tolist())] = p
    rows = []
    for read in reads:
        found = [0] * (1 + len(extents))
        for q in points:
            p = writer.get(tuple((strides * torch.tensor(q) + read).tolist()))
            if p is not None and p != q:
                sign = 1 if p < q else -1
                found = [1 if p < q else 2, *(sign * (b - a) for a, b in zip(p, q, strict=True))]
                break
        rows.append(found)
    return torch.tensor(rows)
