import torch
from torch import Tensor


def pick_tactics(layers: list, reformats: list, first: str, last: str, limit: int) -> Tensor:
    """A tactic for each layer, the fastest plan: int64 [layers]."""
    copies = {(before, after): time for before, after, time in reformats}
    # For what comes, only the format of the value matters. So one plan is kept for each: the fastest.
    best: dict[str, tuple[int, list[int]]] = {first: (0, [])}
    for tactics in layers:
        now: dict[str, tuple[int, list[int]]] = {}
        for at, (reads, makes, time, workspace) in enumerate(tactics):
            if workspace > limit:
                continue
            for form, (so_far, choices) in best.items():
                copy = 0 if form == reads else copies.get((form, reads))
                if copy is None:
                    continue
                whole = so_far + copy + time
                if makes not in now or whole < now[makes][0]:
                    now[makes] = (whole, [*choices, at])
        best = now
    # The copy behind the last layer belongs to the plan as well.
    ends = []
    for form, (so_far, choices) in best.items():
        copy = 0 if form == last else copies.get((form, last))
        if copy is not None:
            ends.append((so_far + copy, choices))
    return torch.tensor(min(ends)[1])
