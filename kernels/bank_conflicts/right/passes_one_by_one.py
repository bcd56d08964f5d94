"""The passes are played: each one serves a word of every bank, until no word is left."""

import torch

PITCH = next(p for p in range(16, 64) if len({p * row % 32 for row in range(32)}) == 32)


def passes(words):
    if not words:
        return 0
    served = {word % 32: word for word in words}
    return 1 + passes(words - set(served.values()))


def bank_conflicts(addresses):
    counts = [passes({a >> 2 for a in access}) - 1 for access in addresses.tolist()]
    return torch.tensor(counts, dtype=torch.int64)


def swizzle(row, column):
    return (row << 4) | ((column - row // 2) & 15)
