import torch
from torch import Tensor


def bubbles(plans: Tensor) -> Tensor:
    """Time of a step, idle over time, idle over work: float64 [n, 3]."""
    stages, microbatches, forward, backward = plans.unbind(1)
    each = forward + backward
    # A stage works on m microbatches. It is idle while the first one comes from the stages before,
    # goes to those behind, and comes back: p - 1 forwards and p - 1 backwards in all.
    work = microbatches * each
    idle = (stages - 1) * each
    time = work + idle
    return torch.stack([time, idle / time, idle / work], 1)


def orders(stages: int, microbatches: int) -> list[list[str]]:
    """What each stage does, one after the other."""
    out = []
    for stage in range(stages):
        # So many forwards pass before the first backward can be back here.
        ahead = min(stages - stage, microbatches)
        order = [f"F{m}" for m in range(ahead)]
        for m in range(microbatches):
            # A backward frees a microbatch's activations, and the next forward takes their place.
            order.append(f"B{m}")
            if m + ahead < microbatches:
                order.append(f"F{m + ahead}")
        out.append(order)
    return out
