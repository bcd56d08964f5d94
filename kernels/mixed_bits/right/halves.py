import torch


def front(points):
    kept = []
    for point in sorted(points):
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return kept


def grow(rows, budget):
    points = [(0, 0.0, ())]
    for sizes, losses in rows:
        points = front(
            (b + s, x + y, (*way, j))
            for b, x, way in points
            for j, (s, y) in enumerate(zip(sizes, losses, strict=False))
            if b + s <= budget
        )
    return points


def mixed_bits(size, loss, budget):
    rows = list(zip(size.tolist(), loss.tolist(), strict=False))
    one, two = grow(rows[::2], budget), grow(rows[1::2], budget)
    # Meet in the middle: the largest partner that still fits loses least.
    best, at = None, len(two) - 1
    for taken, lost, way in one:
        while at >= 0 and taken + two[at][0] > budget:
            at -= 1
        if at < 0:
            break
        whole = (lost + two[at][1], taken + two[at][0], way, two[at][2])
        best = whole if best is None or whole[:2] < best[:2] else best
    out = torch.empty(len(rows), dtype=torch.int64)
    out[::2] = torch.tensor(best[2])
    out[1::2] = torch.tensor(best[3], dtype=torch.int64)
    return out
