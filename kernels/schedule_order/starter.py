import itertools

import torch


def schedule_order(loops: str, script: str) -> torch.Tensor:
    """Original iterations [iterations, loops] in the order of the scheduled nest, int64."""
    nest = [(name, int(extent)) for name, extent in (loop.split(":") for loop in loops.split())]
    # Read the script: change the nest step by step, and note how to come back to these loops.
    return torch.tensor(list(itertools.product(*(range(extent) for _, extent in nest))))
