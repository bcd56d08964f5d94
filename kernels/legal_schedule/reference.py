import runpy
from itertools import product
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

NESTS = list(runpy.run_path(str(Path(__file__).with_name("probe.py")))["nests"](300))


def reference(extents, distances, schedules):
    extents, distances = extents.tolist(), distances.tolist()
    return torch.tensor([broken(extents, distances, t) is None for t in schedules.tolist()])


def time_of(rows, point):
    return [sum(a * b for a, b in zip(row, point, strict=True)) for row in rows]


def broken(extents, distances, rows):
    """Visit all iterations: the first pair that the schedule does not keep in order, or None."""
    for p in product(*map(range, extents)):
        for x in distances:
            q = [a + b for a, b in zip(p, x, strict=True)]
            if inside(q, extents) and time_of(rows, p) >= time_of(rows, q):
                return list(p), q
    return None


def inside(point, extents):
    return all(0 <= x < e for x, e in zip(point, extents, strict=True))


eager = reference


def work(extents, distances, schedules):
    numbers = extents.numel() + distances.numel() + schedules.numel()
    return Work(bytes=8 * numbers + len(schedules), flops=0)


def scale(extents, distances, schedules):
    return 0.0


def explain_wrong(got, extents, distances, schedules):
    """Return one sentence on the first schedule that is judged wrongly."""
    want = reference(extents, distances, schedules)
    at = int((got != want).nonzero()[0])
    rows, sizes = schedules[at].tolist(), extents.tolist()
    if got[at]:
        first, second = broken(sizes, distances.tolist(), rows)
        before, after = time_of(rows, first), time_of(rows, second)
        order = "at the same time as" if before == after else "after"
        return (
            f"Schedule {at}, {rows}, is called legal. It runs iteration {first} {order} iteration "
            f"{second}, which needs it: their times are {before} and {after}."
        )
    if all(inside([abs(a) for a in x], sizes) for x in distances.tolist()):
        return (
            f"Schedule {at}, {rows}, is called illegal, and it keeps every distance: the first number "
            "of T @ x that is not 0 is positive for each of them."
        )
    return (
        f"Schedule {at}, {rows}, is called illegal, and no two iterations within the loops are run in "
        f"the wrong order: the loops have sizes {sizes}."
    )


def check_found(found):
    """(code, sentence) for the first answer of `counterexample` that is wrong, else None."""
    for (extents, distances, rows), got in zip(NESTS, found["answers"], strict=True):
        if fault := fault_of(got, extents, distances, rows):
            nest = f"extents {extents}, distances {distances}, schedule {rows}"
            return "wrong-values", f"`counterexample` for {nest}: {fault}"
    if found["changed"]:
        return "input-modified", (
            f"`counterexample` writes into its argument `{found['changed']}`, and arguments keep "
            "their values."
        )
    return None


def fault_of(got, extents, distances, rows):
    """Return what is wrong with one answer, else None."""
    pair = broken(extents, distances, rows)
    if got is None:
        return f"None, and {pair[0]} has to run before {pair[1]} and does not." if pair else None
    if isinstance(got, str) or any(len(p) != len(extents) for p in got):
        return f"{got} is no pair of iterations."
    first, second = got
    if pair is None:
        return f"{first} and {second}, and the schedule is legal: expected None."
    for point in got:
        if not inside(point, extents):
            return f"{point} is no iteration: it lies outside the loops."
    difference = [b - a for a, b in zip(first, second, strict=True)]
    if difference not in distances:
        if [-x for x in difference] in distances:
            return f"{first} need not run before {second}: it is the other way round."
        return f"nothing asks that {first} run before {second}: {difference} is no distance."
    before, after = time_of(rows, first), time_of(rows, second)
    if before < after:
        return f"the schedule runs {first} before {second}: at {before}, and at {after}."
    return None


def nest(extents, distances, *schedules):
    return lambda g: tuple(torch.tensor(x) for x in (extents, distances, schedules))


def draw(g, low, high, *shape):
    return torch.randint(low, high, shape, generator=g, device=g.device)


def drawn(d, rows, schedules, longest=5):
    """A nest of d loops with up to 3 distances and many schedules: small numbers and permuted loops."""

    def make(g):
        distances = draw(g, -2, 3, 12, d).tolist()
        distances = [x for x in distances if x > [0] * d][:3] or [[1] * d]
        free = draw(g, -1, 3, schedules // 2, rows, d)
        orders = [torch.randperm(d, generator=g, device=g.device) for _ in range(schedules // 2)]
        turned = torch.stack([torch.eye(d, dtype=torch.int64)[order][:rows] for order in orders])
        skewed = turned + draw(g, 0, 2, len(turned), rows, d)
        return draw(g, 1, longest, d), torch.tensor(distances), torch.cat([free, turned, skewed])

    return make


def views(g):
    extents, distances, schedules = drawn(3, 3, 20)(g)
    wide = torch.stack([distances, -distances], 2)
    return extents, wide[:, :, 0], schedules.transpose(0, 2).contiguous().transpose(0, 2)


AS_WRITTEN, INTERCHANGED = [[1, 0], [0, 1]], [[0, 1], [1, 0]]
ROWS_BACK, COLUMNS_BACK = [[-1, 0], [0, 1]], [[1, 0], [0, -1]]
SKEWED, WAVEFRONT = [[1, 0], [1, 1]], [[1, 1], [1, 0]]
USUAL = (AS_WRITTEN, INTERCHANGED, ROWS_BACK, COLUMNS_BACK, SKEWED, WAVEFRONT)

CASES = (
    Case("one loop, forwards, backwards and all at once", nest([6], [[1]], [[1]], [[-1]], [[0]], [[3]])),
    Case("from above", nest([4, 5], [[1, 0]], *USUAL)),
    Case("from the left", nest([4, 5], [[0, 1]], *USUAL)),
    Case("from above and from the left", nest([4, 5], [[1, 0], [0, 1]], *USUAL)),
    Case("from above on the right", nest([4, 5], [[1, -1]], *USUAL)),
    Case("a stencil over time", nest([5, 6], [[1, -1], [1, 0], [1, 1]], *USUAL, [[2, 1], [1, 0]])),
    Case("one number as the time", nest(
        [4, 5], [[1, 0], [0, 1]], [[1, 1]], [[1, 0]], [[0, 1]], [[2, 1]], [[1, -1]], [[5, 1]])),
    Case("no room for the distance", nest([2, 3], [[0, 3], [2, -1], [1, 1]], *USUAL)),
    Case("nine columns back", nest([4, 16], [[1, -9]], *USUAL, [[9, 1], [1, 0]], [[10, 1], [1, 0]])),
    Case("nine rows on, nine columns back", nest([12, 14], [[9, -9], [1, 0]], *USUAL)),
    Case("a later number is large", nest(
        [4, 5], [[1, 0], [0, 1]], [[1, 0], [-100_000, 1]], [[1, -100_000], [0, 1]],
        [[1, 0], [-15, 1]], [[1, 0], [-10, 1]])),
    Case("a later number is enormous", nest(
        [4, 5], [[1, 0], [0, 1]], [[1, 0], [-(10**12), 1]], [[1, -(10**12)], [0, 1]],
        [[1, 0], [10**12, -1]])),
    Case("large numbers that differ by 1", nest(
        [4, 5], [[1, -1]], [[2**25, 2**25 - 1]], [[2**54, 2**54 - 1]], [[2**54 - 1, 2**54]])),
    Case("one iteration", nest([1, 1, 1], [[0, 0, 1], [1, 0, 0]], [[0, 0, 0]], [[-1, -1, -1]])),
    Case("a product of matrices", nest(
        [3, 3, 4], [[0, 0, 1], [0, 0, 2]], [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, -1]], [[0, 0, 1], [0, 0, 1], [0, 0, 1]])),
    Case("more rows than loops", nest(
        [3, 3], [[1, -1]], [[0, 0], [1, 0], [0, 1]], [[0, 0], [1, 1], [0, 1]])),
    Case("drawn, two loops", drawn(2, 2, 40)),
    Case("drawn, two loops, one row", drawn(2, 1, 40)),
    Case("drawn, three loops", drawn(3, 3, 40, 4)),
    Case("drawn, three loops, two rows", drawn(3, 2, 40, 4)),
    Case("drawn, small loops", drawn(3, 3, 40, 3)),
    Case("drawn, views", views),
)  # fmt: skip
