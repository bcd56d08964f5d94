import torch


def timeline(order, times):
    ends, rows, at = {}, [], 0
    compute = torch.zeros((), dtype=torch.float64)
    network = torch.zeros((), dtype=torch.float64)
    asynchronous = {e[5:] for e in order if e[:5] == "wait "}
    for e in order:
        if e[:5] == "wait ":
            compute = torch.maximum(compute, ends[e[5:]])
        else:
            begin = torch.maximum(compute, network) if e in asynchronous else compute
            ends[e] = begin + times[at]
            at += 1
            rows.append(torch.stack((begin, ends[e])))
            if e in asynchronous:
                network = ends[e]
            else:
                compute = ends[e]
    return torch.stack(rows)


def overlap(ops, limit, measure):
    """Take a wait or a gather to any place where that is better, until none is."""
    order = []
    for op in ops:
        order += [op.name] if op.kind == "compute" else [op.name, f"wait {op.name}"]
    best = measure(order)
    found = True
    while found:
        found = False
        for entry in [e for e in order if e.startswith(("wait ", "g", "w"))]:
            at = order.index(entry)
            rest = order[:at] + order[at + 1 :]
            for place in range(len(rest) + 1):
                new = [*rest[:place], entry, *rest[place:]]
                got = measure(new)
                if got and got[1] <= limit and got < best:
                    order, best, found = new, got, True
                    break
    return order
