import torch


def live(tensors, alignment):
    change = torch.zeros(int(tensors[:, 2].max()) + 2, dtype=torch.int64)
    for size, first, last in tensors.tolist():
        size += -size % alignment
        change[first] += size
        change[last + 1] -= size
    return change.cumsum(0)[:-1]


def placed(rows, order, alignment):
    found = {}
    for i in order:
        size, first, last = rows[i]
        at = 0
        moved = True
        while moved:
            moved = False
            for j, begin in found.items():
                other, begins, ends = rows[j]
                meet = not (ends < first or last < begins)
                if meet and begin < at + size and at < begin + other:
                    at = begin + other + -(begin + other) % alignment
                    moved = True
        found[i] = at
    return [found[i] for i in range(len(rows))]


def plan(tensors, alignment):
    rows = tensors.tolist()
    best = None
    for key in (
        lambda r: (-r[0], r[1]),
        lambda r: (-r[0] * (r[2] - r[1] + 1), r[1]),
        lambda r: (r[1] - r[2], -r[0]),
        lambda r: (r[1], -r[0]),
    ):
        order = sorted(range(len(rows)), key=lambda i: key(rows[i]))
        offsets = placed(rows, order, alignment)
        peak = max(o + r[0] for o, r in zip(offsets, rows, strict=True))
        if best is None or peak < best[0]:
            best = peak, offsets
    return torch.tensor(best[1])
