from collections import defaultdict

import torch


def live(tensors, alignment):
    sizes = defaultdict(int)
    for size, first, last in tensors.tolist():
        for step in range(first, last + 1):
            sizes[step] += (size + alignment - 1) & ~(alignment - 1)
    return torch.tensor([sizes[step] for step in range(max(sizes) + 1)])


def plan(tensors, alignment):
    rows = [(size, first, last, i) for i, (size, first, last) in enumerate(tensors.tolist())]
    rows.sort(reverse=True)
    done = []
    for size, first, last, i in rows:
        near = sorted(piece for piece in done if piece[2] <= last and piece[3] >= first)
        free, at = [], 0
        for begin, end, *_ in near:
            if begin >= at + size:
                free.append((begin - at, at))
            at = max(at, (end + alignment - 1) & ~(alignment - 1))
        place = min(free)[1] if free else at
        done.append((place, place + size, first, last, i))
    offsets = torch.empty(len(rows), dtype=torch.int64)
    for begin, *_, i in done:
        offsets[i] = begin
    return offsets
