# expect: wrong-values
import itertools

import torch


def legal(extents: torch.Tensor, distances: torch.Tensor, schedules: torch.Tensor) -> torch.Tensor:
    return torch.tensor([counterexample(extents, distances, t) is None for t in schedules])


def counterexample(extents, distances, schedule):
    ends = extents.tolist()
    # A few iterations of each loop stand for all.
    for first in itertools.product(*(range(min(end, 6)) for end in ends)):
        for x in distances.tolist():
            second = [p + a for p, a in zip(first, x, strict=True)]
            if not all(0 <= p < end for p, end in zip(second, ends, strict=True)):
                continue
            before = (schedule @ torch.tensor(first)).tolist()
            if before >= (schedule @ torch.tensor(second)).tolist():
                return list(first), second
    return None
