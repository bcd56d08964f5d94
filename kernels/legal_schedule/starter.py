import torch


def legal(extents: torch.Tensor, distances: torch.Tensor, schedules: torch.Tensor) -> torch.Tensor:
    """Tell which schedules [schedules, rows, d] keep every distance: bool [schedules]."""
    # Write the test. This one believes everything.
    return torch.ones(len(schedules), dtype=torch.bool)


def counterexample(
    extents: torch.Tensor, distances: torch.Tensor, schedule: torch.Tensor
) -> tuple[list[int], list[int]] | None:
    """Two iterations that the schedule runs in the wrong order, or None where it is legal."""
    # Find a distance that the schedule breaks, and a pair of iterations at this distance.
    return None
