import math
from collections import Counter

import torch


def factors(n):
    found, p = Counter(), 2
    while n > 1:
        if p * p > n:
            p = n
        while n % p == 0:
            found[p] += 1
            n //= p
        p += 1
    return found


def ordered(exponents, parts):
    return math.prod(math.comb(e + parts - 1, e) for e in exponents)


def last_factors(found):
    """Each divisor with the exponents that it leaves."""
    rows = [(1, ())]
    for p, e in found.items():
        rows = [(d * p**a, (*left, e - a)) for d, left in rows for a in range(e + 1)]
    return rows


def sketch_space(sketches):
    out = torch.zeros(len(sketches) + 1, dtype=torch.long)
    for at, sketch in enumerate(sketches):
        product = 1
        for decision in sketch:
            if decision[0] == "tile":
                _, n, parts, most = decision
                found = factors(n)
                product *= ordered(found.values(), parts) - sum(
                    ordered(left, parts - 1) for d, left in last_factors(found) if d > most
                )
            if decision[0] == "choice":
                product *= len(decision[1]) - decision[1].count(0)
        out[at] = product
        out[-1] += product
    return out
