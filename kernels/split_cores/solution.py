from fractions import Fraction

import torch
from torch import Tensor


def split_cores(times: Tensor, threads: Tensor, machine: tuple, moved: int, limit: int) -> Tensor:
    """The best plan: streams and threads of each, int64 [2]."""
    cores, bandwidth = machine
    plans = []
    for t, row in zip(threads.tolist(), times.tolist(), strict=True):
        # Of an odd number of times the one in the middle is the median.
        alone = sorted(row)[len(row) // 2]
        for s in range(1, cores // t + 1):
            # The memory serves all streams together, so its time grows with their number.
            memory = Fraction(s * moved * 10**9, bandwidth)
            time = max(Fraction(alone), memory)
            if time <= limit:
                plans.append((s / time, -time, -t, s))
    if not plans:
        return torch.tensor([0, 0])
    _, _, minus_t, s = max(plans)
    return torch.tensor([s, -minus_t])
