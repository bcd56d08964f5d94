import torch
from torch import Tensor


def bubbles(plans: Tensor) -> Tensor:
    """Time, idle over time, idle over work: float64 [n, 3]."""
    stages, microbatches, forward, backward = plans.unbind(1)
    # How long does a stage work?
    # How long is it idle?
    return torch.zeros(len(plans), 3, dtype=torch.float64)


def orders(stages: int, microbatches: int) -> list[list[str]]:
    """What each stage does, one after the other."""
    # One microbatch after the other goes through.
    # Find an order that is as short as possible,
    # and keeps few activations.
    out = []
    for _ in range(stages):
        order = []
        for m in range(microbatches):
            order += [f"F{m}", f"B{m}"]
        out.append(order)
    return out
