import json
from collections.abc import Callable

import torch

KINDS = ("add", "sub", "mul", "neg", "relu", "tanh", "t")


def minimise(operations: list[str], outcome: Callable[[list[str]], str]) -> list[str] | None:
    """A piece that cannot go as a whole is tried as two halves."""
    wanted = outcome(list(operations))
    if wanted == "right":
        return None

    def reduce(before: list[str], piece: list[str], after: list[str]) -> list[str]:
        """Return what is needed of the piece, if the rest stays."""
        if outcome(before + after) == wanted:
            return []
        if len(piece) < 2:
            return piece
        half = len(piece) // 2
        second = reduce(before + piece[:half], piece[half:], after)
        return reduce(before, piece[:half], second + after) + second

    kept = reduce([], list(operations), [])
    while kept:
        once = reduce([], kept, [])
        if len(once) < len(kept):
            kept = once
            continue
        for at in range(len(kept) - 1):
            rest = kept[:at] + kept[at + 2 :]
            if outcome(rest) == wanted:
                kept = rest
                break
        else:
            break
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
