import torch


def legal(extents: torch.Tensor, distances: torch.Tensor, schedules: torch.Tensor) -> torch.Tensor:
    """Tell which schedules [schedules, rows, d] keep every distance: bool [schedules]."""
    return torch.tensor([counterexample(extents, distances, t) is None for t in schedules])


def counterexample(
    extents: torch.Tensor, distances: torch.Tensor, schedule: torch.Tensor
) -> tuple[list[int], list[int]] | None:
    """Two iterations that the schedule runs in the wrong order, or None where it is legal."""
    for x in distances.tolist():
        # No two iterations lie so far apart: this distance asks for nothing.
        if any(abs(a) >= e for a, e in zip(x, extents.tolist(), strict=False)):
            continue
        # T(p + x) - T p = T x, whatever p is. So one vector speaks for all pairs.
        time = (schedule @ torch.tensor(x)).tolist()
        # Lists compare lexicographically. Zeros are the same time: nobody waits for anybody.
        if time <= [0] * len(time):
            # The first iteration from which x does not lead out of the loops.
            source = [max(0, -a) for a in x]
            return source, [p + a for p, a in zip(source, x, strict=False)]
    return None
