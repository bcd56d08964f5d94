import torch


def timeline(order, times):
    """When each operation begins and ends, in the order of the list: float64 [operations, 2]."""
    collectives = {entry[5:] for entry in order if entry.startswith("wait ")}
    takes = iter(times.tolist())
    now = free = 0.0  # when the stream of computations, and that of collectives, is done
    rows = {}
    for entry in order:
        if entry.startswith("wait "):
            now = max(now, rows[entry[5:]][1])
        elif entry in collectives:
            # Behind all computations and waits before it, and behind the collective before it.
            begin = max(now, free)
            free = begin + next(takes)
            rows[entry] = [begin, free]
        else:
            begin, now = now, now + next(takes)
            rows[entry] = [begin, now]
    return torch.tensor(list(rows.values()), dtype=torch.float64)


def overlap(ops, limit, measure):
    kinds = {op.name: op.kind for op in ops}
    order = []
    for op in ops:
        order += [op.name] if op.kind == "compute" else [op.name, f"wait {op.name}"]
    for name, kind in kinds.items():
        if kind != "compute":
            wait = f"wait {name}"
            last = range(len(order) - 1, order.index(wait), -1)
            order = put(order, wait, last, limit, measure)
    first = 0
    for name, kind in kinds.items():
        if kind == "gather":
            order = put(order, name, range(first, order.index(name)), limit, measure)
            first = order.index(name) + 1
    return order


def put(order, entry, places, limit, measure):
    rest = [other for other in order if other != entry]
    for place in places:
        new = [*rest[:place], entry, *rest[place:]]
        got = measure(new)
        if got is not None and got[1] <= limit:
            return new
    return order
