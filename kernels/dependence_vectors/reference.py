from itertools import product

import torch

from tutor.judge.spec import Case, Work

NAMES = ("none", "flow", "anti")


def reference(extents, strides, write, reads):
    """Visit all iterations: who writes a cell, and who reads it?"""
    if not strides.all():
        raise ValueError("a stride of 0")  # which the task excludes
    points = list(product(*(range(e) for e in extents.tolist())))
    strides, write = strides.tolist(), write.tolist()
    writer = {cell(p, strides, write): p for p in points}
    return torch.tensor([row(points, writer, strides, r) for r in reads.tolist()])


def cell(point, strides, constants):
    return tuple(s * x + c for x, s, c in zip(point, strides, constants, strict=True))


def row(points, writer, strides, read):
    for q in points:
        p = writer.get(cell(q, strides, read), q)
        if p != q:
            first, last = min(p, q), max(p, q)
            return [1 if p < q else 2, *(b - a for a, b in zip(first, last, strict=True))]
    return [0] * (1 + len(strides))


eager = reference


def work(extents, strides, write, reads):
    numbers = 2 * reads.numel() + len(reads) + 3 * len(extents)
    return Work(bytes=8 * numbers, flops=0)


def scale(extents, strides, write, reads):
    return 0.0


def explain_wrong(got, extents, strides, write, reads):
    """Return one sentence on the known mistake behind wrong rows, else on the first that is wrong."""
    want = reference(extents, strides, write, reads)
    at = int((got != want).any(1).nonzero()[0])
    mine, right = got[at].tolist(), want[at].tolist()
    difference = (write - reads[at]).tolist()
    pairs = list(zip(difference, strides.tolist(), extents.tolist(), strict=True))
    negative = " A stride is negative here." if bool((strides < 0).any()) else ""
    if right[0] == 0 and mine[0] != 0:
        if not any(difference):
            return (
                "A dependence is reported although one and the same iteration writes and reads the "
                "cell."
            )
        if any(c % s for c, s, _ in pairs):
            return (
                "A dependence is reported between accesses that never meet: w - r is no multiple "
                "of the stride."
            )
        if any(abs(c // s) >= e for c, s, e in pairs):
            return (
                "A dependence is reported whose distance does not fit into the loops: no two "
                "iterations lie so far apart."
            )
    if exchanged(got, want):
        return (
            "Each flow is called anti, and each anti flow. The iteration that reads, minus the one "
            "that writes, is (w - r) / s."
        )
    if strides.min() < 0 and torch.equal(got, reference(extents, strides.abs(), write, reads)):
        return (
            "These are the rows for strides without their signs. An index that runs backwards turns "
            "the difference of its iterations."
        )
    if right[0] and mine[0] == 0:
        return f"A dependence is missing: read {at} meets the write at the distance {tuple(right[1:])}."
    if mine[0] == right[0] and mine[1:] == [-x for x in right[1:]]:
        return (
            "The distance has the wrong sign. It is the later iteration minus the earlier one, so it "
            "is lexicographically positive."
        )
    if mine[0] == right[0] and [abs(x) for x in mine[1:]] == [abs(x) for x in right[1:]]:
        return (
            f"Read {at} is at the distance {tuple(right[1:])}, and you give {tuple(mine[1:])}: some "
            f"signs are wrong.{negative}"
        )
    if mine[0] in (1, 2) and mine[1:] in (right[1:], [-x for x in right[1:]]):
        return (
            f"Read {at} is a dependence of the kind {NAMES[right[0]]}, and you say {NAMES[mine[0]]}."
            f"{negative}"
        )
    return f"Row {at} is {mine}; expected {right}."


def exchanged(got, want):
    """Tell whether there are both kinds, and each flow is called anti, each anti flow."""
    both = {1, 2} <= set(want[:, 0].tolist())
    return both and torch.equal(got[:, 1:], want[:, 1:]) and torch.equal(got[:, 0], -want[:, 0] % 3)


def nest(extents, strides, write, *reads):
    return lambda g: tuple(torch.tensor(x) for x in (extents, strides, write, reads))


def draw(g, low, high, *shape):
    return torch.randint(low, high, shape, generator=g, device=g.device)


def drawn(d, reads, reach, most_stride=1):
    """A nest of d loops; constants within `reach`, strides up to `most_stride` of either sign."""

    def make(g):
        signs = 2 * draw(g, 0, 2, d) - 1
        strides = signs * draw(g, 1, most_stride + 1, d)
        extents = draw(g, 1, 6, d)
        return extents, strides, draw(g, -reach, reach + 1, d), draw(g, -reach, reach + 1, reads, d)

    return make


def views(g):
    extents, strides, write, reads = drawn(3, 12, 2, 2)(g)
    return extents, strides, torch.stack([write, write], 1)[:, 0], reads.T.contiguous().T


CASES = (
    Case("a running sum", nest([8], [1], [0], [-1])),
    Case("one loop, read ahead", nest([8], [1], [0], [1], [3])),
    Case("a cell and its four neighbours", nest(
        [6, 6], [1, 1], [0, 0], [-1, 0], [0, -1], [1, 0], [0, 1], [0, 0])),
    Case("the corners", nest(
        [5, 7], [1, 1], [0, 0], [-1, -1], [-1, 1], [1, -1], [1, 1], [1, -6], [-1, 6])),
    Case("the write is shifted", nest([5, 5], [1, 1], [1, -2], [0, 0], [1, -2], [1, 1], [2, -3])),
    Case("even cells written, odd cells read", nest([6, 6], [2, 1], [0, 0], [1, 0], [-2, 1], [3, -1])),
    Case("strides of 2 and 3", nest([4, 4], [2, 3], [1, 0], [-1, 3], [3, 3], [1, 6], [2, 3], [-5, 9])),
    Case("an index that runs backwards", nest(
        [6, 4], [-1, 1], [0, 0], [-1, 0], [1, 0], [0, 1], [2, -1])),
    Case("as far as the loop is long", nest([3, 4], [1, 1], [0, 0], [-2, 0], [-3, 0], [0, 3], [0, -4])),
    Case("a loop of one iteration", nest([1, 5], [1, 1], [0, 0], [-1, 0], [0, -1], [-1, -1])),
    Case("three loops", nest(
        [3, 4, 5], [1, 1, 1], [0, 0, 0], [0, 0, -1], [0, -1, 2], [-1, 2, -2], [0, 1, 0])),
    Case("constants of more than 53 bits", nest(
        [8], [1], [2**54 + 1], [2**54], [2**54 + 1], [2**54 + 3], [2**54 - 9])),
    Case("drawn, one loop", drawn(1, 12, 4, 3)),
    Case("drawn, two loops", drawn(2, 24, 3)),
    Case("drawn, two loops with strides", drawn(2, 40, 4, 3)),
    Case("drawn, four loops", drawn(4, 30, 2)),
    Case("drawn, views", views),
)  # fmt: skip
