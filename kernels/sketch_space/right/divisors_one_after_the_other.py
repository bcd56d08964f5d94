import functools
import math

import torch


@functools.lru_cache(None)
def cuts(n, parts):
    if parts == 0:
        return int(n == 1)
    total = 0
    for d in range(1, math.isqrt(n) + 1):
        if n % d == 0:
            total += cuts(n // d, parts - 1)
            if d * d != n:
                total += cuts(d, parts - 1)
    return total


def sketch_space(sketches):
    def ways(decision):
        match decision:
            case ["tile", n, parts, most]:
                found = 0
                for d in range(1, math.isqrt(n) + 1):
                    if n % d == 0:
                        found += cuts(n // d, parts - 1) * (d <= most)
                        if d * d != n:
                            found += cuts(d, parts - 1) * (n // d <= most)
                return found
            case ["choice", weights]:
                return len([w for w in weights if w])
        return 1

    rows = [math.prod(map(ways, sketch)) for sketch in sketches]
    return torch.tensor([*rows, sum(rows)], dtype=torch.int64)
