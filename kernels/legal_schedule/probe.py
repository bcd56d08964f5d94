"""Asks the learner's `counterexample` about drawn nests. Plain values only leave the process."""

import random

import torch

# Wide nests, in which one pair of iterations or none is out of order: (extents, distances, schedule).
WIDE = (
    ([40, 40], [[39, -39]], [[0, 1], [1, 0]]),
    ([40, 40], [[39, -39]], [[1, 0], [0, 1]]),
    ([3000], [[2999]], [[-1]]),
    ([12, 12, 12], [[11, -11, 11]], [[0, 1, 0], [1, 0, 0], [0, 0, 1]]),
)


def nests(count):
    """Yield `count` drawn nests and the wide ones as lists: (extents, distances, schedule)."""
    dice = random.Random(18)
    for _ in range(count):
        d = dice.randint(1, 4)
        extents = [dice.randint(1, 5) for _ in range(d)]
        distances = []
        while len(distances) < dice.randint(1, 3):
            x = [dice.randint(-2, 2) for _ in range(d)]
            if x > [0] * d:
                distances.append(x)
        yield extents, distances, schedule(dice, d)
    yield from WIDE


def schedule(dice, d):
    """A schedule: loops reordered, reversed or skewed, perhaps with the last rows left out."""
    rows = [[int(k == n) for k in range(d)] for n in dice.sample(range(d), d)]
    for _ in range(dice.randint(0, 3)):
        row = rows[dice.randrange(d)]
        row[dice.randrange(d)] += dice.choice((1, 1, 2, -1))
    return rows[: dice.randint(max(1, d - 1), d)]


def probe(module, device):
    answers, changed = [], None
    for number, nest in enumerate(nests(300)):
        given = [torch.tensor(x, device=device) for x in nest]
        if number % 2:
            given = [apart(x) for x in given]
        before = [x.clone() for x in given]
        got = module.counterexample(*given)
        answers.append(None if got is None else plain(got))
        for name, x, old in zip(("extents", "distances", "schedule"), given, before, strict=True):
            if changed is None and not x.equal(old):
                changed = name
    return {"answers": answers, "changed": changed}


def apart(x):
    """Return the same numbers as a view: each second one in memory, the last axis first."""
    return torch.stack((x.mT, -x.mT), -1)[..., 0].mT if x.ndim > 1 else torch.stack((x, -x), 1)[:, 0]


def plain(pair):
    """A pair of iterations as lists of numbers, or a text that says what else it is."""
    try:
        first, second = ([int(x) for x in part] for part in pair)
    except (TypeError, ValueError):
        return repr(pair)[:120]
    return [first, second]
