import math

import torch

from tutor.judge.spec import Case, Work

PROMISED = (
    ("`n` is 1 to 300", lambda points, smaller: 1 <= points.shape[0] <= 300),
    ("`k` is 1 to 4", lambda points, smaller: 1 <= points.shape[1] <= 4),
    ("`smaller` is a `bool` tensor `[k]`", lambda points, smaller: len(smaller) == points.shape[1]),
    ("finite or `NaN`", lambda points, smaller: not points.isinf().any()),
)


def front(points, smaller, change=""):
    """Compare row by row, in plain Python. `change` names a mistake."""
    signs = [1 if less else -1 for less in smaller.tolist()]
    if change == "less":
        signs = [1] * len(signs)
    if change == "turned":
        signs = [-sign for sign in signs]
    rows = [[sign * each for sign, each in zip(signs, row, strict=True)] for row in points.tolist()]
    failed = [any(math.isnan(each) for each in row) for row in rows]
    if change == "zero":
        rows = [[0.0 if math.isnan(each) else each for each in row] for row in rows]

    def beats(a, b):
        pairs = list(zip(rows[a], rows[b], strict=True))
        if change == "strict":
            return all(x < y for x, y in pairs)
        if change == "equal" and a < b and rows[a] == rows[b]:
            return True
        return all(x <= y for x, y in pairs) and any(x < y for x, y in pairs)

    count = range(len(rows))
    able = [row for row in count if change == "zero" or not failed[row]]
    kept = [
        b
        for b in count
        if not (failed[b] and change != "failed") and not any(beats(a, b) for a in able)
    ]
    ways = {
        "rows": lambda row: row,
        "worst": lambda row: -rows[row][0],
        "second": lambda row: rows[row],
    }
    kept.sort(key=ways.get(change, lambda row: rows[row][0]))
    places = torch.full((len(rows),), -1)
    places[kept] = torch.arange(len(kept))
    return places + 1 if change == "one" else places


def reference(points, smaller):
    return front(points, smaller)


eager = reference


def work(points, smaller):
    return Work(bytes=8 * points.numel() + smaller.numel() + 8 * len(points), flops=0)


def by_mistake(change):
    return lambda points, smaller: front(points, smaller, change)


NEAR_MISSES = (
    ("less is better in every column", by_mistake("less")),
    ("`smaller` is read the other way round", by_mistake("turned")),
    ("a row beats another only if it is better in every column", by_mistake("strict")),
    ("of equal rows the first one beats the others", by_mistake("equal")),
    ("a row with a NaN is on the front", by_mistake("failed")),
    ("a NaN is read as 0, and beats other rows", by_mistake("zero")),
    ("rows stand in the order in which they were given", by_mistake("rows")),
    ("rows of the front are counted from 1, and the others have 0", by_mistake("one")),
    ("the worst of the first column stands first", by_mistake("worst")),
    ("rows that are equal in the first column are ordered by the others", by_mistake("second")),
)


def explain_wrong(got, points, smaller):
    """Say of one row why it is on the front, or which row beats it."""
    want = front(points, smaller)
    for row in ((got >= 0) & (want < 0)).nonzero().flatten().tolist():
        if points[row].isnan().any():
            return f"Row {row} has a NaN, and you put it on the front."
        less = torch.where(smaller.bool(), points, -points)
        for other in (want >= 0).nonzero().flatten().tolist():
            if bool((less[other] <= less[row]).all() and (less[other] < less[row]).any()):
                return (
                    f"You put row {row}, {points[row].tolist()}, on the front, and row {other},"
                    f" {points[other].tolist()}, beats it."
                )
    for row in ((got < 0) & (want >= 0)).nonzero().flatten().tolist():
        return f"Row {row}, {points[row].tolist()}, is missing on the front: no row beats it."
    return None


def table(*rows, smaller=None):
    points = torch.tensor(rows, dtype=torch.float64)
    less = [True] * points.shape[1] if smaller is None else smaller
    return lambda g: (points.clone(), torch.tensor(less))


def drawn(n, k, values, smaller=None, failed=0.0):
    """Rows near the front, in whole numbers up to `values`, with ties."""

    def make(g):
        signs = torch.rand(k, generator=g) < 0.5 if smaller is None else torch.tensor(smaller)
        raw = torch.rand(n, k, generator=g, dtype=torch.float64)
        raw = raw / raw.square().sum(1, keepdim=True).sqrt()
        raw = 1 - raw * (0.7 + 0.3 * torch.rand(n, 1, generator=g, dtype=torch.float64))
        points = torch.floor(raw * values)
        points = torch.where(signs, points, 3 * values - points)
        if failed:
            points[torch.rand(n, k, generator=g) < failed] = float("nan")
        return points, signs

    return make


def views(g):
    points, smaller = drawn(40, 3, 9)(g)
    return points.t().contiguous().t(), smaller.repeat_interleave(2)[::2]


def wide_numbers(g):
    """Numbers that float32 cannot tell apart, of both signs, with a 0."""
    return (
        torch.tensor(
            [
                [2.0**40 + 1, -3.0],
                [2.0**40, -3.0],
                [2.0**40, -3.0 - 2.0**-40],
                [1e200, 2e300],
                [-5.0, -9.0],
                [-1.0, 0.0],
                [0.0, -1e-9],
                [0.0, -1e-200],
                [1e-200, -1e-9],
                [-1.0, 1e-300],
                [-2.0, 5.0],
                [-2.0, 1e300],
                [-1.5, 1e300],  # beaten in the first column, and the sum of both does not show it
                [-3.0, -7.0],
                [-3.0, -8.0],
            ],
            dtype=torch.float64,
        ),
        torch.tensor([True, False]),
    )


NAN = float("nan")
CASES = (
    Case("bytes and perplexity", table((8, 3), (5, 4), (6, 4), (5, 5), (3, 9), (9, 3.5), (4, 6))),
    Case("equal rows on the front", table((5, 3), (4, 4), (5, 3), (6, 3), (4, 4), (2, 9), (5, 3))),
    Case("a point in the hollow of the line", table((0, 10), (6, 6), (10, 0), (9, 9), (6, 7))),
    Case(
        "more tokens a second is better",
        table((5, 30), (4, 10), (6, 30), (5, 40), (9, 41), (2, 5), smaller=[True, False]),
    ),
    Case(
        "accuracy first, the most is best",
        table((71, 9), (80, 20), (71, 8), (76, 12), (75, 12), (60, 1), smaller=[False, True]),
    ),
    Case(
        "differences in the 13th digit",
        table((5, 3), (5, 3 + 1e-12), (5 - 1e-12, 4), (5, 4)),
    ),
    Case("one column, three are best", table((4,), (2,), (7,), (2,), (2,), (3,))),
    Case("one row", table((4, 2, 7))),
    Case(
        "measurements that failed",
        table((5, 3, 1), (NAN, 1, 1), (4, NAN, 0), (6, 2, 2), (1, 9, NAN), (5, 4, 1), (-9, -9, NAN)),
    ),
    Case("nothing was measured", table((NAN, 3), (2, NAN))),
    Case(
        "equal in the first column",
        table((3, 8, 1), (3, 1, 8), (2, 9, 9), (3, 5, 5), (4, 0, 9), (3, 8, 1), (4, 9, 0)),
    ),
    Case("numbers of any size", wide_numbers),
    Case("numbers of any size, the other way", lambda g: (-wide_numbers(g)[0], ~wide_numbers(g)[1])),
    Case("three columns, drawn", drawn(60, 3, 12)),
    Case("four columns, drawn", drawn(40, 4, 6)),
    Case("two columns, drawn, some failed", drawn(80, 2, 30, failed=0.08)),
    Case("three columns, all of which want more", drawn(50, 3, 7, smaller=[False] * 3)),
    Case("views", views),
)
