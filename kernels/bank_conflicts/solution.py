from collections import Counter

import torch

# The smallest distance of two rows that no two of a column's 32 words share a bank with: odd.
PITCH = 33


def bank_conflicts(addresses: torch.Tensor) -> torch.Tensor:
    """Extra passes of each access: byte addresses [accesses, lanes] -> int64 [accesses]."""
    extra = []
    for access in addresses.tolist():
        # Lanes that ask for one word are served together, so each word counts once.
        words = {address // 4 for address in access}
        # A bank serves one word in each pass; the busiest bank decides.
        in_each_bank = Counter(word % 32 for word in words)
        extra.append(max(in_each_bank.values()) - 1)
    return torch.tensor(extra)


def swizzle(row: int, column: int) -> int:
    """Place of element [row, column] of a 32 by 32 tile, in words, without padding."""
    # Each row keeps its 32 places and permutes them, so no place is used twice. Down a column
    # the row changes, and with it the bank: column ^ row takes all 32 values.
    return 32 * row + (column ^ row)
