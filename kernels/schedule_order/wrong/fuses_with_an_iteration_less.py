# expect: wrong-values
import itertools

import torch


def schedule_order(loops, script):
    given = [loop.split(":") for loop in loops.split()]
    names, sizes = [name for name, _ in given], [int(size) for _, size in given]

    def place(iteration):
        nest = list(names)
        size, value = dict(zip(names, sizes)), dict(zip(names, iteration))
        for line in script.splitlines():
            step, name, *more = line.split()
            at = nest.index(name)
            if step == "split":
                factor, parts = int(more[0]), [name + "_0", name + "_1"]
                # The nest is never run, only sorted by: that the count is rounded down shows in a
                # fused loop alone, whose inner loop is this one.
                size |= dict(zip(parts, (size[name] // factor, factor)))
                value |= dict(zip(parts, divmod(value[name], factor)))
                nest[at : at + 1] = parts
            elif step == "fuse":
                inner = more[0]
                fused = f"{name}_{inner}_fused"
                size[fused] = size[name] * size[inner]
                value[fused] = value[name] * size[inner] + value[inner]
                nest[at : at + 2] = [fused]
            else:
                named = [name, *more]
                for to, loop in zip(sorted(map(nest.index, named)), named):
                    nest[to] = loop
        return [value[loop] for loop in nest]

    return torch.tensor(sorted(itertools.product(*map(range, sizes)), key=place))
