import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

SIZES = runpy.run_path(str(Path(__file__).with_name("probe.py")))["SIZES"]
A_MISS = 24  # iterations for each miss, at least
LINE = 8  # numbers of 8 bytes in a line


def reference(a, b):
    return a @ b


eager = reference


def work(a, b):
    n, d, m = *a.shape, b.shape[1]
    return Work(bytes=8 * (n * d + d * m + n * m), flops=2 * n * m * d)


def scale(a, b):
    return 0.0  # whole numbers: every order of the sum is exact


def last_tiles(a, b):
    """Yield the products of the last tile of k alone, one for each length of a tile."""
    d = a.shape[1]
    for first in sorted({(d - 1) // t * t for t in range(2, 41)} - {0}):
        yield a[:, first:] @ b[first:]


def whole_tiles(a, b):
    """Yield what whole tiles alone compute, one for each length of a tile."""
    n, d, m = *a.shape, b.shape[1]
    for t in range(2, 41):
        kept = torch.zeros_like(a @ b)
        rows, columns, depth = n // t * t, m // t * t, d // t * t
        kept[:rows, :columns] = a[:rows, :depth] @ b[:depth, :columns]
        yield kept


NEAR_MISSES = (
    ("each tile of k overwrites what the one before it has added", last_tiles),
    ("only whole tiles are computed", whole_tiles),
)


def check_found(found):
    """(code, sentence) where a counted product is wrong or misses too often, else None."""
    for (n, m, d), count in zip(SIZES, found["counts"], strict=True):
        sizes = f"{n} × {m} × {d}"
        if not count["right"]:
            return "wrong-values", f"With counted matrices of {sizes} the product is wrong."
        if count["read"] < 1.5 * (n * d + d * m):
            return "wrong-values", (
                f"At {sizes} `a` and `b` are read {count['read']:,} times, hardly once an element: "
                "a whole matrix was copied, or both. The loops use the elements in their places, in "
                "tiles."
            )
        if count["at once"]:
            return "wrong-values", (
                f"At {sizes} `{count['at once'][0]}` is used from its first element to its last with no "
                "access to another matrix in between: a whole matrix was copied. The loops use the "
                "elements in their places, in tiles."
            )
        most, misses = n * m * d // A_MISS, count["misses"]
        total = sum(misses.values())
        if total > most:
            parts = ", ".join(f"{name} {number:,}" for name, number in misses.items())
            told = f"{total:,} misses at {sizes} ({parts}). At most {most:,} are allowed."
            return "wrong-values", f"{told} {reason(misses, (n, m, d))}"
    if found["whole"]:
        names = " and ".join(f"`{name}`" for name in found["whole"])
        return "wrong-values", (
            f"The product is right, and with tensors many elements are computed at once, by {names}. "
            "The loops are to use single elements."
        )
    return None


def reason(misses, sizes):
    """Return how often a line of the matrix with the most misses is fetched."""
    n, m, d = sizes
    lines = {"a": n * d // LINE, "b": d * m // LINE, "c": n * m // LINE}
    name = max(misses, key=misses.get)
    return (
        f"`{name}` lies in {lines[name]:,} lines, and each of them is fetched "
        f"{misses[name] / lines[name]:.1f} times. What is used between two visits to a line of it?"
    )


def drawn(n, m, d):
    """Whole numbers without 0, so that no order of a sum rounds and no zero has a sign."""

    def whole(g, *shape):
        size = torch.randint(1, 6, shape, generator=g, device=g.device)
        sign = 2 * torch.randint(0, 2, shape, generator=g, device=g.device) - 1
        return (size * sign).double()

    return lambda g: (whole(g, n, d), whole(g, d, m))


def views(g):
    a, b = drawn(9, 13, 11)(g)
    return a.T.contiguous().T, torch.stack([b, b], 2)[:, :, 1]


CASES = (
    Case("one element", drawn(1, 1, 1)),
    Case("8 by 8 by 8", drawn(8, 8, 8)),
    Case("one row", drawn(1, 17, 12)),
    Case("one column", drawn(19, 1, 10)),
    Case("an outer product", drawn(11, 10, 1)),
    Case("a scalar product", drawn(1, 1, 37)),
    Case("one past the tile", drawn(9, 9, 9)),
    Case("one less than the tile", drawn(7, 15, 7)),
    Case("more columns than rows", drawn(5, 21, 10)),
    Case("more rows than columns", drawn(21, 5, 13)),
    Case("views", views),
)
