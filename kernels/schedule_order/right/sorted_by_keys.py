import itertools

import torch


def schedule_order(loops, script):
    """Sort the original iterations by their values in the scheduled nest."""
    names = [loop.split(":")[0] for loop in loops.split()]
    sizes = [int(loop.split(":")[1]) for loop in loops.split()]
    iterations = itertools.product(*map(range, sizes))
    return torch.tensor(sorted(iterations, key=lambda it: key_of(names, sizes, it, script)))


def key_of(names, sizes, iteration, script):
    nest = list(zip(names, sizes, iteration, strict=True))
    for step in script.splitlines():
        word, *given = step.split()
        where = {name: at for at, (name, _, _) in enumerate(nest)}
        at = where[given[0]]
        name, size, value = nest[at]
        if word == "split":
            f = int(given[1])
            outer, inner = divmod(value, f)
            nest[at : at + 1] = [(f"{name}_0", -(-size // f), outer), (f"{name}_1", f, inner)]
        elif word == "fuse":
            other, count, below = nest[at + 1]
            fused = (f"{name}_{other}_fused", size * count, value * count + below)
            nest[at : at + 2] = [fused]
        else:
            chosen = [nest[where[x]] for x in given]
            for place in sorted(where[x] for x in given):
                nest[place] = chosen.pop(0)
    return [value for _, _, value in nest]
