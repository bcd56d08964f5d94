# expect: wrong-values
import itertools

import torch


def schedule_order(loops: str, script: str) -> torch.Tensor:
    """Original iterations [iterations, loops] in the order of the scheduled nest, int64."""
    nest = [(name, int(extent)) for name, extent in (loop.split(":") for loop in loops.split())]
    original = [name for name, _ in nest]
    undoing = []
    for step in script.splitlines():
        word, *names = step.split()
        if word == "split":
            undoing.append(split(nest, names[0], int(names[1])))
        elif word == "reorder":
            reorder(nest, names)
        else:
            undoing.append(fuse(nest, *names))
    rows = []
    for values in itertools.product(*(range(extent) for _, extent in nest)):
        value = dict(zip((name for name, _ in nest), values))
        if all(undo(value) for undo in reversed(undoing)):
            rows.append([value[name] for name in original])
    return torch.tensor(rows)


def place(nest, name):
    return [known for known, _ in nest].index(name)


def split(nest, name, factor):
    """Put two loops in the place of one; return the function that undoes it for one iteration."""
    at = place(nest, name)
    extent = nest[at][1]
    outer, inner = f"{name}_0", f"{name}_1"
    nest[at : at + 1] = [(outer, -(-extent // factor)), (inner, factor)]

    def undo(value):
        value[name] = value[outer] * factor + value[inner]
        return value[name] < extent

    return undo


def reorder(nest, names):
    """Put the named loops into the places that they hold among themselves."""
    places = [place(nest, name) for name in names]
    moved = [nest[at] for at in places]
    nest[:] = moved + [loop for loop in nest if loop not in moved]


def fuse(nest, outer, inner):
    """Put one loop in the place of two neighbours; return the function that undoes it."""
    at = place(nest, outer)
    (_, rows), (_, columns) = nest[at : at + 2]
    fused = f"{outer}_{inner}_fused"
    nest[at : at + 2] = [(fused, rows * columns)]

    def undo(value):
        value[outer], value[inner] = divmod(value[fused], columns)
        return True

    return undo
