import torch
from torch import Tensor


def timeline(order: list[str], times: Tensor) -> Tensor:
    """Begin and end of each operation: float64 [n, 2]."""
    collectives = {
        entry[5:] for entry in order if entry.startswith("wait ")
    }
    takes = iter(times.tolist())
    # When the stream of computations is done.
    now = 0.0
    rows: dict[str, list[float]] = {}
    for entry in order:
        if entry.startswith("wait "):
            # What does a wait change?
            continue
        # So far all run on one stream, one by one.
        # Where does a collective run, and from when?
        begin, now = now, now + next(takes)
        rows[entry] = [begin, now]
    return torch.tensor(
        list(rows.values()), dtype=torch.float64
    )


def overlap(ops: list, limit: int, measure) -> list[str]:
    """An order of all operations within the limit."""
    # As given: each collective is waited for at once,
    # and nothing is hidden.
    order = []
    for op in ops:
        order.append(op.name)
        if op.kind != "compute":
            order.append(f"wait {op.name}")
    # Move waits to the back, and gathers to the front.
    return order
