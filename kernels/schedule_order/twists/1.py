import torch


def schedule_order(loops, script):
    nest = [(loop.split(":")[0], int(loop.split(":")[1])) for loop in loops.split()]
    original, undoing, rows = [name for name, _ in nest], [], []
    for step in script.splitlines():
        word, *given = step.split()
        at = [name for name, _ in nest].index(given[0])
        if word == "split":
            name, factor = given[0], int(given[1])
            undoing.append((word, name, factor, nest[at][1]))
            outer = (name + "_0", (nest[at][1] + factor - 1) // factor)
            nest[at : at + 1] = [outer, (name + "_1", factor)]
        elif word == "fuse":
            undoing.append((word, given[0], given[1], nest[at + 1][1]))
            extent = nest[at][1] * nest[at + 1][1]
            nest[at : at + 2] = [("_".join(given) + "_fused", extent)]
        else:
            extents = dict(nest)
            named = iter(given)
            nest = [
                (n := next(named), extents[n]) if name in given else (name, extents[name])
                for name, _ in nest
            ]

    def body(value):
        for word, name, x, y in reversed(undoing):
            if word == "split":
                value[name] = value[name + "_0"] * x + value[name + "_1"]
                if value[name] >= y:
                    return
            else:
                value[name], value[x] = divmod(value[f"{name}_{x}_fused"], y)
        rows.append([value[name] for name in original])

    def run(depth, value):
        if depth == len(nest):
            body(dict(value))
            return
        name, extent = nest[depth]
        for x in range(extent):
            run(depth + 1, {**value, name: x})

    run(0, {})
    return torch.tensor(rows)
