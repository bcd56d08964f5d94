import torch


def timeline(order, times):
    waited = [entry.split()[1] for entry in order if " " in entry]
    lanes = {"compute": 0.0, "network": 0.0}
    rows, durations = {}, times.tolist()[::-1]
    for entry in order:
        if " " in entry:
            lanes["compute"] = max(lanes["compute"], rows[entry.split()[1]][1])
            continue
        lane = "network" if entry in waited else "compute"
        start = max(lanes["compute"], lanes[lane])
        lanes[lane] = start + durations.pop()
        rows[entry] = (start, lanes[lane])
    return torch.tensor([rows[entry] for entry in order if entry in rows], dtype=torch.float64)


def overlap(ops, limit, measure):
    """Waits stand before their first readers; open reductions are closed where memory runs out."""
    by_name = {op.name: op for op in ops}
    order, waiting = [], []
    for op in ops:
        for need in op.needs:
            if need in waiting:
                order.append("wait " + need)
                waiting.remove(need)
        order.append(op.name)
        if op.kind != "compute":
            waiting.append(op.name)
    order += ["wait " + name for name in waiting]

    def fits(candidate):
        got = measure(candidate)
        return got is not None and got[1] <= limit

    def places(entry, at):
        rest = [other for other in order if other != entry]
        return [*rest[:at], entry, *rest[at:]]

    reductions = [name for name in waiting if by_name[name].kind == "reduce"]
    while not fits(order):
        for name in reductions:
            at, first = order.index("wait " + name), order.index(name)
            if at > first + 1:
                order = places("wait " + name, at - 1)
                if fits(order):
                    break
    last = 0
    for op in ops:
        if op.kind == "gather":
            here = order.index(op.name)
            fitting = [at for at in range(last, here) if fits(places(op.name, at))]
            # No hole between: memory has to hold the buffer from its place on.
            at = min(fitting, default=here)
            order = places(op.name, at)
            last = at + 1
    return order
