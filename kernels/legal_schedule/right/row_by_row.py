import torch


def undecided(extents, distances, schedule):
    """Go down the rows: a row that is positive for a distance carries it, and later rows need not."""
    waiting = [
        x for x in distances.tolist() if all(map(lambda a, e: abs(a) < e, x, extents.tolist()))
    ]
    for row in schedule.tolist():
        left = []
        for x in waiting:
            step = sum(map(int.__mul__, row, x))
            if step < 0:
                return x
            if step == 0:
                left.append(x)
        waiting = left
    return waiting[0] if waiting else None


def legal(extents, distances, schedules):
    answers = []
    for schedule in schedules:
        answers.append(undecided(extents, distances, schedule) is None)
    return torch.tensor(answers)


def counterexample(extents, distances, schedule):
    x = undecided(extents, distances, schedule)
    if x is not None:
        # Where x leads backwards, begin at the end of the loop, else at its start.
        p = [e - 1 if a < 0 else 0 for a, e in zip(x, extents.tolist(), strict=True)]
        return p, [a + b for a, b in zip(p, x, strict=True)]
    return None
