from collections import Counter

import torch

PITCH = 17


def bank_conflicts(addresses: torch.Tensor) -> torch.Tensor:
    """Extra passes of each access: byte addresses [accesses, lanes] -> int64 [accesses]."""
    extra = []
    for access in addresses.tolist():
        words = {address // 4 for address in access}
        in_each_bank = Counter(word % 32 for word in words)
        extra.append(max(in_each_bank.values()) - 1)
    return torch.tensor(extra)


def swizzle(row: int, column: int) -> int:
    """Place of element [row, column] of a 32 by 16 tile, in words, without padding."""
    return 16 * row + ((column + row // 2) % 16)
