import functools

import torch


def divisors(n):
    return [d for d in range(1, n + 1) if n % d == 0]


@functools.cache
def ways(rest, free, innermost):
    """The number of ways to cut rest into free factors and a last one within the limit."""
    if free == 0:
        return int(rest <= innermost)
    return sum(ways(rest // d, free - 1, innermost) for d in divisors(rest))


def legal_tiles(extents, limits):
    n, m, k = extents
    innermost, least, most, shared = limits
    total = threads = memory = both = 0
    for high in divisors(n):
        for wide in divisors(m):
            # Pairs of thread factors, whatever the others are.
            everything = good = 0
            for a in divisors(high):
                for b in divisors(wide):
                    number = ways(high // a, 2, innermost) * ways(wide // b, 2, innermost)
                    everything += number
                    if least <= a * b <= most:
                        good += number
            for long in divisors(k):
                z = ways(long, 1, innermost)
                total += everything * z
                threads += good * z
                if (high + wide) * long * 4 <= shared:
                    memory += everything * z
                    both += good * z
    return torch.tensor([total, threads, memory, both])
