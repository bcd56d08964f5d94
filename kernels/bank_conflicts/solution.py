from collections import Counter

import torch

# The smallest distance of two rows that no two of a column's 32 words share a bank with: odd.
PITCH = 17


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
    """Place of element [row, column] of a 32 by 16 tile, in words, without padding."""
    # Each row keeps its 16 places and permutes them, so no place is used twice. Rows lie in the
    # lower and the upper half of the banks by turns. In each half 16 rows meet in a column, and
    # row // 2 gives them 16 different numbers.
    return 16 * row + (column ^ row // 2)
