import torch

PITCH = 17


def bank_conflicts(addresses):
    words = (addresses // 4).sort(dim=1).values
    new = torch.ones_like(words)
    new[:, 1:] = (words[:, 1:] != words[:, :-1]).long()
    counts = torch.zeros(len(words), 32, dtype=torch.int64)
    counts.scatter_add_(1, words % 32, new)
    return counts.amax(1) - 1


def swizzle(row, column):
    return 16 * row + (column ^ row // 2)
