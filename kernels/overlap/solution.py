import torch
from torch import Tensor


def timeline(order: list[str], times: Tensor) -> Tensor:
    """When each operation begins and ends, in the order of the list: float64 [operations, 2]."""
    collectives = {entry[5:] for entry in order if entry.startswith("wait ")}
    takes = iter(times.tolist())
    now = free = 0.0  # when the stream of computations, and that of collectives, is done
    rows: dict[str, list[float]] = {}
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


def overlap(ops: list, limit: int, measure) -> list[str]:
    """An order of all operations that hides what it can, within `limit` bytes."""
    kinds = {op.name: op.kind for op in ops}
    order = []
    for op in ops:
        order.append(op.name)
        if op.kind != "compute":
            order.append(f"wait {op.name}")
    # A wait costs nothing where the collective is done, so each goes back as far as it may.
    for name in [name for name in kinds if kinds[name] != "compute"]:
        order = moved(order, f"wait {name}", 1, limit, measure, stops=())
    # A gather begins as early as memory has room. Gathers keep the order in which they are needed.
    gathers = [name for name in kinds if kinds[name] == "gather"]
    for name in gathers:
        order = moved(order, name, -1, limit, measure, stops=gathers)
    return order


def moved(order, entry, step, limit, measure, stops):
    """The order with `entry` moved place by place, as long as it is legal, and within the limit."""
    at = order.index(entry)
    while 0 <= at + step < len(order) and order[at + step] not in stops:
        new = list(order)
        new[at], new[at + step] = new[at + step], new[at]
        got = measure(new)
        if got is None or got[1] > limit:
            break
        order, at = new, at + step
    return order
