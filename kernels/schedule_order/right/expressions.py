import itertools

import torch


def schedule_order(loops, script):
    extents = {n: int(e) for n, e in (loop.split(":") for loop in loops.split())}
    original, nest, guards = list(extents), list(extents), []
    formula = {name: name for name in original}

    def substitute(name, text):
        for known in formula:
            words = formula[known].replace("(", "( ").replace(")", " )").split()
            formula[known] = " ".join(f"( {text} )" if w == name else w for w in words)
        for at, (expression, extent) in enumerate(guards):
            words = expression.split()
            guards[at] = (" ".join(f"( {text} )" if w == name else w for w in words), extent)

    for step in script.splitlines():
        word, x, *rest = step.split()
        at = nest.index(x)
        if word == "split":
            f = int(rest[0])
            substitute(x, f"{x}_0 * {f} + {x}_1")
            guards.append((f"{x}_0 * {f} + {x}_1", extents[x]))
            extents[x + "_0"], extents[x + "_1"] = -(-extents[x] // f), f
            nest[at : at + 1] = [x + "_0", x + "_1"]
        elif word == "fuse":
            y = rest[0]
            z = f"{x}_{y}_fused"
            substitute(x, f"{z} // {extents[y]}")
            substitute(y, f"{z} % {extents[y]}")
            extents[z] = extents[x] * extents[y]
            nest[at : at + 2] = [z]
        else:
            named = [x, *rest]
            for place, name in zip(sorted(map(nest.index, named)), named, strict=True):
                nest[place] = name
    guard = " and ".join(f"{text} < {extent}" for text, extent in guards) or "True"
    row = ", ".join(formula[name] for name in original)
    run = eval(f"lambda {', '.join(nest)}: [{row}] if {guard} else None")
    rows = (run(*values) for values in itertools.product(*(range(extents[n]) for n in nest)))
    return torch.tensor([each for each in rows if each is not None])
