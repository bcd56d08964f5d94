import torch


def timeline(order, times):
    begin, end = {}, {}
    compute, network = 0.0, 0.0
    takes = dict(zip([e for e in order if e[:5] != "wait "], times.tolist(), strict=True))
    for entry in order:
        name = entry.removeprefix("wait ")
        if name != entry:
            compute = max(compute, end[name])
        elif f"wait {name}" in order:
            begin[name] = max(compute, network)
            network = end[name] = begin[name] + takes[name]
        else:
            begin[name] = compute
            compute = end[name] = compute + takes[name]
    out = torch.empty(len(begin), 2, dtype=torch.float64)
    for row, name in enumerate(begin):
        out[row, 0], out[row, 1] = begin[name], end[name]
    return out


def overlap(ops, limit, measure):
    kinds = {op.name: op.kind for op in ops}
    order = []
    for op in ops:
        order += [op.name] if op.kind == "compute" else [op.name, "wait " + op.name]
    changed = True
    while changed:
        before = list(order)
        for name in kinds:
            if kinds[name] == "gather":
                order = shifted(order, name, range(order.index(name)), kinds, limit, measure)
        for name in reversed(kinds):
            if kinds[name] != "compute":
                wait = "wait " + name
                places = range(len(order) - 1, order.index(wait), -1)
                order = shifted(order, wait, places, None, limit, measure)
        changed = order != before
    return order


def shifted(order, entry, places, kinds, limit, measure):
    """Put the entry at the first of the places where the order is legal and no slower."""
    rest = [other for other in order if other != entry]
    for place in places:
        passed = rest[place : order.index(entry)]
        if kinds and any(kinds.get(other) == "gather" for other in passed):
            continue
        new = [*rest[:place], entry, *rest[place:]]
        got = measure(new)
        if got is not None and got[1] <= limit and got[0] <= measure(order)[0]:
            return new
    return order
