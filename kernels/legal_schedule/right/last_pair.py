import torch


def first_number(vector):
    return next((v for v in vector if v), 0)


def legal(extents, distances, schedules):
    out = torch.empty(schedules.shape[0], dtype=torch.bool)
    for n in range(schedules.shape[0]):
        out[n] = counterexample(extents, distances, schedules[n]) is None
    return out


def counterexample(extents, distances, schedule):
    for x in distances:
        room = extents - x.abs()
        if bool((room > 0).all()) and first_number((schedule * x).sum(1).tolist()) <= 0:
            # the last iteration that has a follower, as tensors
            target = extents - 1 - (-x).clamp(min=0)
            return target - x, target
    return None
