import functools
import math
from collections import Counter

import torch

from tutor.judge.spec import Case, Work


@functools.cache
def cuts(n, parts):
    """Each ordered way to write n as a product of so many factors."""
    if parts == 1:
        return ((n,),)
    return tuple(
        (d, *rest) for d in range(1, n + 1) if n % d == 0 for rest in cuts(n // d, parts - 1)
    )


def counted(extents, limits, change=""):
    """The four counts, by groups of tiles that are alike to the rules. The option names a mistake."""
    innermost, least, most, shared = limits

    def in_space(extent, parts):
        return (t for t in cuts(extent, parts) if change == "no limit" or t[-1] <= innermost)

    def threads(t):
        return t[1] * t[2] if change == "vthreads" else t[2]

    def part(t):
        first = {"whole": 0, "thread": 3, "no vthreads": 2}.get(change, 1)
        return math.prod(t[first:])

    def groups(extent):
        found = Counter((threads(t), part(t)) for t in in_space(extent, 5))
        return dict.fromkeys(found, 1) if change == "once" else found

    rows, columns = groups(extents[0]), groups(extents[1])
    first = {"all of k": 0, "last of k": 2}.get(change, 1)
    lengths = Counter(math.prod(t[first:]) for t in in_space(extents[2], 3))
    total, few, small, both = 0, 0, 0, 0
    size = 2 if change == "bytes" else 4
    top = min(most, 1024) if change == "1024" else most
    for (a, high), x in rows.items():
        for (b, wide), y in columns.items():
            together = high * wide if change == "product" else high + wide
            fits = sum(z for long, z in lengths.items() if size * together * long <= shared)
            kept = (change == "no least" or least <= a * b) and a * b <= top
            everything = x * y * sum(lengths.values())
            total += everything
            few += kept * everything
            small += x * y * fits
            both += kept * x * y * fits
    if change == "independent":
        both = few * small // total
    return torch.tensor([total, few, small, min(few, small) if change == "smaller" else both])


def reference(extents, limits):
    return counted(extents, limits)


eager = reference


def by_mistake(change):
    return lambda extents, limits: counted(extents, limits, change)


NEAR_MISSES = (
    ("the last factors have no limit", by_mistake("no limit")),
    ("a block has `i1 * i2 * j1 * j2` threads", by_mistake("vthreads")),
    ("a block copies all rows and all columns", by_mistake("whole")),
    ("only what one thread reads is copied", by_mistake("thread")),
    ("`i1` and `j1` are missing in what a block copies", by_mistake("no vthreads")),
    ("the copies are as long as the whole sum", by_mistake("all of k")),
    ("the copies are only `k2` numbers long", by_mistake("last of k")),
    ("a number has 2 bytes", by_mistake("bytes")),
    ("the tile of the result is copied, not those of A and B", by_mistake("product")),
    ("there is no least number of threads", by_mistake("no least")),
    ("a block has at most 1,024 threads, whatever `most` is", by_mistake("1024")),
    ("tiles that look the same to the rules count once", by_mistake("once")),
    ("the two rules are taken to be independent of each other", by_mistake("independent")),
    ("the last count is the smaller of the two before it", by_mistake("smaller")),
)


def work(extents, limits):
    return Work(bytes=8 * 7, flops=0)


GPU = [64, 32, 1024, 49152]


def given(extents, limits=GPU):
    return lambda g: (list(extents), list(limits))


def by_dice(g):
    def draw(low, high):
        return int(torch.randint(low, high, (1,), generator=g, device=g.device))

    def extent(primes):
        return math.prod([2, 2, 2, 3, 5, 7][draw(0, 6)] for _ in range(draw(1, primes)))

    least = draw(1, 20)
    limits = [draw(2, 80), least, least + draw(5, 300), 4 * draw(20, 2000)]
    return [extent(5), extent(5), extent(4)], limits


CASES = (
    Case("everything runs", given([8, 12, 6], [4096, 1, 4096, 1 << 20])),
    Case("exactly the threads", given([4, 6, 1], [64, 2, 12, 1 << 20])),
    Case("a least number that is no power of two", given([9, 15, 2], [64, 9, 45, 400])),
    Case("exactly the shared memory", given([16, 16, 8], [64, 1, 1024, 4 * (4 + 8) * 4])),
    Case("one byte less", given([16, 16, 8], [64, 1, 1024, 4 * (4 + 8) * 4 - 1])),
    Case("last factors of 1", given([12, 8, 6], [1, 2, 24, 300])),
    Case("a limit that cuts only k", given([8, 8, 64], [8, 2, 32, 500])),
    Case("more rows than columns", given([64, 4, 16], [64, 8, 64, 1024])),
    Case("more columns than rows", given([4, 64, 16], [64, 8, 64, 1024])),
    Case("no threads enough", given([3, 5, 7], [64, 32, 1024, 49152])),
    Case("more than 1,024 threads", given([256, 128, 4], [64, 32, 8192, 1 << 20])),
    Case("one column", given([64, 1, 16], [64, 8, 64, 1024])),
    Case("one row", given([1, 64, 16], [64, 8, 64, 1024])),
    Case("extents of 1", given([1, 1, 1], [64, 1, 1024, 8])),
    Case("a prime above the limit", given([127, 8, 101], [64, 4, 512, 4096])),
    Case("a product of 1024", given([1024, 1024, 1024])),
    Case("a product of 3 * 1024", given([3072, 768, 3072], [64, 128, 512, 98304])),
    Case("the largest extents", given([4096, 4096, 4096], [64, 32, 1024, 232448])),
    Case("written by dice", by_dice),
    Case("written by dice again", by_dice),
    Case("written by dice once more", by_dice),
)
