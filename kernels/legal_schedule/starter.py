import torch
from torch import Tensor


def legal(extents: Tensor, distances: Tensor, schedules: Tensor) -> Tensor:
    """Tell which schedules keep every distance: bool [schedules]."""
    # Write the test. This one believes everything.
    return torch.ones(len(schedules), dtype=torch.bool)


def counterexample(extents: Tensor, distances: Tensor, schedule: Tensor):
    """Two iterations that run in the wrong order, or None."""
    # Find a distance that the schedule breaks, and two
    # iterations for it.
    return None
