import itertools

import torch


def count(values: list[list[int]], machine: list[int]) -> torch.Tensor:
    """[all, threads fit, registers fit, shared memory fits, all three], int64."""
    space = list(itertools.product(*values))
    # Each of them is (block_m, block_n, block_k,
    # warps, stages). Write it: count what fits.
    return torch.tensor([len(space)] * 5)
