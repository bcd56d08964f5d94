import torch
from torch import Tensor


def plan(
    stages: int,
    replicas: int,
    microbatches: int,
    tokens: int,
    width: int,
    weights: list[int],
    saved: list[int],
) -> Tensor:
    """Promise what a step costs: float64 [11]."""
    every = range(stages)
    # The last stage begins when the first microbatch has passed all others, and stages - 1
    # backwards follow its last one.
    time = 3 * (microbatches + stages - 1)
    idle = 1 - 3 * microbatches / time
    alive = [min(stages - s, microbatches) for s in every]
    kept = [alive[s] * saved[s] for s in every]
    share = [-(-weights[s] // replicas) for s in every]
    sends = [microbatches * ((s > 0) + (s < stages - 1)) for s in every]
    sent = [8 * sends[s] * tokens * width for s in every]
    # The reduce-scatter gets the shares of all, the all-gather that of the rank.
    handed = [8 * (replicas + 1) * share[s] * (replicas > 1) for s in every]
    both = [sent[s] + handed[s] for s in every]
    largest = max(weights)
    return torch.tensor(
        [
            time,
            idle,
            max(alive),
            max(kept),
            2 * 8 * largest,
            2 * 8 * max(share),
            max(sent),
            max(handed),
            max(sends),
            max(both),
            6 * largest * tokens * microbatches,
        ],
        dtype=torch.float64,
    )
