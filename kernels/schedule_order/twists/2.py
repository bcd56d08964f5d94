import math

import torch


def schedule_order(loops, script):
    nest = [(loop.split(":")[0], int(loop.split(":")[1])) for loop in loops.split()]
    original, undoing = [name for name, _ in nest], []
    for step in script.splitlines():
        word, *given = step.split()
        names = [name for name, _ in nest]
        at = names.index(given[0])
        if word == "split":
            undoing.append((given[0], int(given[1]), nest[at][1]))
            outer = math.ceil(nest[at][1] / int(given[1]))
            nest[at : at + 1] = [(given[0] + "_0", outer), (given[0] + "_1", int(given[1]))]
        elif word == "fuse":
            undoing.append((given, nest[at + 1][1], 0))
            extent = nest[at][1] * nest[at + 1][1]
            nest[at : at + 2] = [("_".join(given) + "_fused", extent)]
        else:
            places = sorted(names.index(name) for name in given)
            extents = dict(nest)
            for place, name in zip(places, given, strict=True):
                nest[place] = (name, extents[name])
    number = torch.arange(math.prod(extent for _, extent in nest))
    value = {}
    for name, extent in reversed(nest):
        value[name], number = number % extent, number // extent
    keep = torch.ones_like(number, dtype=torch.bool)
    for what, x, extent in reversed(undoing):
        if isinstance(what, str):
            value[what] = value[what + "_0"] * x + value[what + "_1"]
            keep &= value[what] < extent
        else:
            fused = value["_".join(what) + "_fused"]
            value[what[0]], value[what[1]] = fused // x, fused % x
    return torch.stack([value[name] for name in original], 1)[keep]
