import torch


def legal(extents, distances, schedules):
    return torch.tensor([not broken(extents, distances, t) for t in schedules])


def broken(extents, distances, schedule):
    """The distances that a schedule does not keep; a time becomes one number by weights so large that
    no later numbers outweigh an earlier one."""
    inside = [x for x in distances if bool((x.abs() < extents).all())]
    base = 1 + 2 * max((int((schedule @ x).abs().max()) for x in inside), default=0)
    weights = base ** torch.arange(len(schedule) - 1, -1, -1)
    return [x for x in inside if int(weights @ (schedule @ x)) <= 0]


def counterexample(extents, distances, schedule):
    for x in broken(extents, distances, schedule):
        first = [max(0, -int(a)) for a in x]
        return [first, [a + int(b) for a, b in zip(first, x, strict=True)]]
