import torch


def legal(extents, distances, schedules):
    return torch.tensor([not broken(extents, distances, t) for t in schedules])


def broken(extents, distances, schedule):
    """The distances that a schedule does not keep; a time becomes one number by large weights."""
    weights = 10 ** torch.arange(4 * len(schedule) - 4, -1, -4)
    inside = [x for x in distances if bool((x.abs() < extents).all())]
    return [x for x in inside if int(weights @ (schedule @ x)) <= 0]


def counterexample(extents, distances, schedule):
    for x in broken(extents, distances, schedule):
        first = [max(0, -int(a)) for a in x]
        return [first, [a + int(b) for a, b in zip(first, x, strict=True)]]
