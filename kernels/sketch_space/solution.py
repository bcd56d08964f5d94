import math

import torch


def prime_factors(n: int) -> list[int]:
    """The different primes that divide n."""
    primes, p = [], 2
    while p * p <= n:
        if n % p == 0:
            primes.append(p)
            while n % p == 0:
                n //= p
        p += 1
    return [*primes, n] if n > 1 else primes


def exponent(n: int, p: int) -> int:
    """How often p divides n."""
    e = 0
    while n % p == 0:
        n, e = n // p, e + 1
    return e


def divisors(n: int) -> set[int]:
    # They come in pairs d and n // d, so the square root is far enough.
    small = [d for d in range(1, math.isqrt(n) + 1) if n % d == 0]
    return {*small, *(n // d for d in small)}


def tiles(extent: int, parts: int, most: int) -> int:
    """The number of ways to cut extent into factors."""
    primes, total = prime_factors(extent), 0
    # The limit is on the last factor alone, so it is fixed first.
    for last in divisors(extent):
        if last <= most:
            rest = extent // last
            # Each prime is shared out among the other parts by itself.
            total += math.prod(math.comb(exponent(rest, p) + parts - 2, parts - 2) for p in primes)
    return total


def sketch_space(sketches: list) -> torch.Tensor:
    """[programs of each sketch, of all], int64."""
    counts = []
    for sketch in sketches:
        ways = 1
        for kind, *given in sketch:
            if kind == "tile":
                ways *= tiles(*given)
            elif kind == "choice":
                ways *= sum(weight > 0 for weight in given[0])
            # What follows another decision leaves nothing open.
        counts.append(ways)
    return torch.tensor([*counts, sum(counts)])
