import torch


def live(tensors, alignment):
    size, first, last = tensors.unbind(1)
    size = (size + alignment - 1) // alignment * alignment
    steps = torch.arange(int(last.max()) + 1)[:, None]
    return (size * ((first <= steps) & (steps <= last))).sum(1)


def plan(tensors, alignment):
    n = len(tensors)
    size, first, last = tensors.unbind(1)
    offsets = torch.full((n,), -1)
    for i in torch.argsort(size, descending=True).tolist():
        near = (offsets >= 0) & (first <= last[i]) & (first[i] <= last)
        begins, ends = offsets[near], offsets[near] + size[near]
        # A lowest place is 0, or the first address behind a tensor.
        for at in sorted({0, *(-(-e // alignment) * alignment for e in ends.tolist())}):
            if not ((begins < at + size[i]) & (at < ends)).any():
                offsets[i] = at
                break
    return offsets
