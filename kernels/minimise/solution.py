import json
from collections.abc import Callable

import torch

KINDS = ("add", "sub", "mul", "neg", "relu", "tanh", "t")


def minimise(operations: list[str], outcome: Callable[[list[str]], str]) -> list[str] | None:
    """The operations of a small program with the same outcome."""
    wanted = outcome(list(operations))
    if wanted == "right":
        return None
    kept = list(operations)

    def leave_out(kept: list[str], size: int) -> list[str]:
        """Try to leave out each piece of this size; return what has to stay."""
        at = 0
        while at < len(kept):
            rest = kept[:at] + kept[at + size :]
            if outcome(rest) == wanted:  # the same failure, and no other one
                kept = rest  # what comes next stands at this place now
            else:
                at += size
        return kept

    size = len(kept)
    while size > 1:  # large pieces first: most of the program goes with few calls
        kept = leave_out(kept, size)
        size //= 2
    while True:
        # What went makes room: something that was needed before may not be needed now.
        before = None
        while kept != before:
            before, kept = kept, leave_out(kept, 1)
        # Two that need each other can only go together.
        for at in range(len(kept) - 1):
            rest = kept[:at] + kept[at + 2 :]
            if outcome(rest) == wanted:
                kept = rest
                break
        else:
            return kept


def minimised(size: int, rules: str, calls: int) -> torch.Tensor:
    """Run `minimise` on a made-up failure: 1 for what is left. Leave it as it is."""
    names = [f"{KINDS[at * 5 % 7]}_{at}" for at in range(size)]
    place, table, left = {name: at for at, name in enumerate(names)}, json.loads(rules), [calls]

    def outcome(kept: list[str]) -> str:
        left[0] -= 1
        if left[0] < 0:
            raise RuntimeError(f"outcome was called more than {calls} times")
        places = [place[name] for name in kept]
        if places != sorted(set(places)):
            raise ValueError(f"{kept} is not in the order of the program")
        for said, needed, absent in table:
            if set(needed) <= set(places) and not set(absent) & set(places):
                return said
        return "right"

    given = list(names)
    kept = minimise(given, outcome)
    if given != names:
        raise ValueError("minimise changed the list that it was given")
    marks = torch.full((size,), -1 if kept is None else 0)
    marks[[place[name] for name in kept or ()]] = 1
    return marks
