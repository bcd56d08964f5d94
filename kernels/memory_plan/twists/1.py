import torch


def live(tensors, alignment):
    rows = tensors.tolist()
    return torch.tensor(
        [
            sum(
                -(-size // alignment) * alignment
                for size, first, last in rows
                if first <= t <= last
            )
            for t in range(1 + max(last for _, _, last in rows))
        ]
    )


def plan(tensors, alignment):
    rows = tensors.tolist()
    left, offsets = set(range(len(rows))), {}
    while left:
        i = max(left, key=lambda k: rows[k][0])
        left.remove(i)
        size, first, last = rows[i]
        near = [j for j in offsets if rows[j][1] <= last and first <= rows[j][2]]
        at = 0
        while near:
            j = min(near, key=offsets.get)
            if offsets[j] - at >= size:
                break
            near.remove(j)
            at = max(at, -(-(offsets[j] + rows[j][0]) // alignment) * alignment)
        offsets[i] = at
    return torch.tensor([offsets[i] for i in range(len(rows))])
