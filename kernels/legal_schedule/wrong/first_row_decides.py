# expect: wrong-values
import torch


def legal(
    extents: torch.Tensor, distances: torch.Tensor, schedules: torch.Tensor
) -> torch.Tensor:
    """Tell which schedules [schedules, rows, d] keep every distance: bool [schedules]."""
    return torch.tensor([counterexample(extents, distances, t) is None for t in schedules])


def counterexample(
    extents: torch.Tensor, distances: torch.Tensor, schedule: torch.Tensor
) -> tuple[list[int], list[int]] | None:
    """Two iterations that the schedule runs in the wrong order, or None where it is legal."""
    for x in distances.tolist():
        if any(abs(a) >= e for a, e in zip(x, extents.tolist())):
            continue
        time = (schedule @ torch.tensor(x)).tolist()
        if time[0] <= 0:
            source = [max(0, -a) for a in x]
            return source, [p + a for p, a in zip(source, x)]
    return None
