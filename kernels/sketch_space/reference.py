import functools
import math

import torch

from tutor.judge.spec import Case, Work


@functools.cache
def divisors(n):
    small = [d for d in range(1, math.isqrt(n) + 1) if n % d == 0]
    return sorted({*small, *(n // d for d in small)})


@functools.cache
def cuts(n, parts):
    """The number of ordered ways to write n as a product of so many factors."""
    if parts == 1:
        return 1
    return sum(cuts(n // d, parts - 1) for d in divisors(n))


def tiles(n, parts, most, change=""):
    if change == "no limit":
        return cuts(n, parts)
    if change == "product":
        parts += 1
    if change == "strict":
        most -= 1
    return sum(cuts(n // d, parts - 1) for d in divisors(n) if d <= most)


def ways(decision, sketch, change):
    kind, *given = decision
    if kind == "tile":
        return tiles(*given, change=change)
    if kind == "choice":
        (weights,) = given
        if change == "equal weights":
            return len({weight for weight in weights if weight})
        return len(weights) if change == "all weights" else sum(map(bool, weights))
    return ways(sketch[given[0]], sketch, change) if change == "follow" else 1


def counted(sketches, change=""):
    """All numbers of the result, by cuts of divisors. The option names a mistake."""
    join = sum if change == "added" else math.prod
    counts = [join(ways(decision, sketch, change) for decision in sketch) for sketch in sketches]
    return torch.tensor([*counts, math.prod(counts) if change == "multiplied" else sum(counts)])


def reference(sketches):
    return counted(sketches)


eager = reference


def by_mistake(change):
    return lambda sketches: counted(sketches, change)


NEAR_MISSES = (
    ("the last factor has no limit", by_mistake("no limit")),
    ("the last factor must be less than `most`", by_mistake("strict")),
    ("each tile has one factor more, as the other factors may leave a part over", by_mistake("product")),
    ("weights of 0 are counted", by_mistake("all weights")),
    ("equal weights are counted once", by_mistake("equal weights")),
    ("what follows a decision is counted like the decision itself", by_mistake("follow")),
    ("the decisions of a sketch are added, not multiplied", by_mistake("added")),
    ("the last number is the product of those before it, not their sum", by_mistake("multiplied")),
)  # fmt: skip


def work(sketches):
    return Work(bytes=8 * (1 + len(sketches)), flops=0)


def tile(extent, parts, most=64):
    return ["tile", extent, parts, most]


UNROLL = ["choice", [0.25, 0.25, 0.25, 0.25]]


def product_of(n, m, k):
    return [tile(n, 4), tile(m, 4), tile(k, 2), UNROLL]


def given(*sketches):
    return lambda g: ([[list(decision) for decision in sketch] for sketch in sketches],)


def by_dice(g):
    def draw(low, high):
        return int(torch.randint(low, high, (1,), generator=g, device=g.device))

    def extent():
        n = math.prod([2, 3, 5, 7][draw(0, 4)] for _ in range(draw(0, 6)))
        return n * [1, 1, 11, 97, 1013, 7919][draw(0, 6)]

    sketches = []
    for _ in range(draw(2, 5)):
        sketch = []
        for at in range(draw(1, 6)):
            kind = draw(0, 4)
            if kind == 3 and at:
                sketch.append(["follow", draw(0, at)])
            elif kind == 2:
                weights = [float(draw(0, 3)) / 4 for _ in range(draw(1, 5))]
                sketch.append(["choice", [*weights, 0.5]])
            else:
                sketch.append(tile(extent(), draw(2, 5), draw(1, 100)))
        sketches.append(sketch)
    return (sketches,)


CASES = (
    Case("one tile without a real limit", given([tile(128, 4, 128)])),
    Case("one tile", given([tile(128, 4)])),
    Case("a limit between two divisors", given([tile(360, 3, 7)], [tile(360, 3, 9)])),
    Case("a prime above the limit", given([tile(127, 4), tile(13, 2, 12)])),
    Case("last factors of 1", given([tile(48, 3, 1), tile(48, 2, 1)])),
    Case("an extent of 1", given([tile(1, 5, 1), tile(6, 2)])),
    Case("choices", given(
        [["choice", [0.5, 0.5]], ["choice", [1.0]]], [["choice", [0.1, 0.2, 0.7]]])),
    Case("a long sketch", given([UNROLL, *[tile(4, 2)] * 16, ["choice", [0.5, 0.5]], tile(6, 2)])),
    Case("weights that are tiny", given(
        [["choice", [1e-6, 0.999999]], ["choice", [1e-300, 0.0, 1e-300]]])),
    Case("weights of 0", given(
        [["choice", [0.5, 0.0, 0.25, 0.25]], tile(12, 3)], [["choice", [0.0, 2.0]]])),
    Case("what follows", given(
        [tile(64, 3), ["follow", 0], UNROLL, ["follow", 2], ["follow", 1]], [tile(64, 3), tile(64, 3)])),
    Case("the sketches of a product", given(
        *[product_of(128, 96, 100)] * 2, product_of(128, 96, 100)[:3])),
    Case("no decisions", given([], [tile(30, 2)], [])),
    Case("no sketches", given()),
    Case("many divisors", given(
        [tile(735134400, 3, 735134400)], [tile(698377680, 4, 5000)],
        [tile(735134400, 2, 700000)], [tile(720720, 8, 720720)])),
    Case("large primes", given(
        [tile(999999937, 3, 999999937)], [tile(999999937, 8, 1000)], [tile(31607**2, 4, 40000)])),
    Case("about 2 ** 55, and one more", given(
        [tile(2**29, 8, 2**29), tile(3**18, 8, 3**18), tile(24, 8), tile(9, 2), tile(3, 3)], [])),
    # An odd number of 56 bits: no step of a count in floating point keeps it.
    Case("odd, about 2 ** 56", given(
        [tile(5**8, 8, 5**8), ["choice", [1 / 15] * 15], tile(3**16, 8, 3**16), tile(2**24, 8, 2**24)])),
    Case("written by dice", by_dice),
    Case("written by dice again", by_dice),
    Case("written by dice once more", by_dice),
)  # fmt: skip
