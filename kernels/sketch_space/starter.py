import math

import torch


def tiles(extent, parts, most):
    """The number of ways to cut extent into factors."""
    # Write it: without most it is a product over the
    # primes. This counts powers of two, without most.
    e = extent.bit_length() - 1
    return math.comb(e + parts - 1, parts - 1)


def sketch_space(sketches: list) -> torch.Tensor:
    """[programs of each sketch, of all], int64."""
    counts = []
    for sketch in sketches:
        ways = 1
        for kind, *given in sketch:
            if kind == "tile":
                ways *= tiles(*given)
            # Write it: a choice, and what follows.
        counts.append(ways)
    return torch.tensor([*counts, sum(counts)])
