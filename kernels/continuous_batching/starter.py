import torch
from torch import Tensor


def waits(arrivals: Tensor, times: list[list[float]]) -> Tensor:
    """TTFT, TPOT and longest gap: float64 [n, 3]."""
    # Measure each request's three times.
    return torch.zeros(len(times), 3, dtype=torch.float64)


def admit(waiting: list, running: list, free: int, server):
    """The names of those that begin to run now."""
    # One runs at a time, and the others wait.
    # Admit as many as the limits allow.
    if running or not waiting:
        return []
    return [waiting[0].name]
