# expect: wrong-values
import itertools

import torch


def count(values: list[list[int]], machine: list[int]) -> torch.Tensor:
    """[all, threads fit, registers fit, shared memory fits, all three], int64."""
    shared, registers, threads = machine
    counts = [0] * 5
    for m, n, k, warps, stages in itertools.product(*values):
        lanes = warps
        buffers = stages if m >= 64 else stages - 1
        fits = (
            lanes <= threads,
            m * n / lanes + 32 <= registers,
            buffers * (m + n) * k * 2 <= shared,
        )
        for place, yes in enumerate((True, *fits, all(fits))):
            counts[place] += yes
    return torch.tensor(counts)
