import json
from collections.abc import Callable

import torch

KINDS = ("add", "sub", "mul", "neg", "relu", "tanh", "t")


def minimise(operations: list[str], outcome: Callable[[list[str]], str]) -> list[str] | None:
    """Search from the end for as long a piece as can go, by doubling and halving its length."""
    told = outcome(list(operations))
    if told == "right":
        return None

    def fails(kept):
        return outcome(list(kept)) == told

    def trim(kept):
        end = len(kept)  # what stands behind `end` is needed
        while end > 0:
            good, width = 0, end  # the longest piece before `end` that goes
            while width:
                if good + width <= end and fails(kept[: end - good - width] + kept[end:]):
                    good += width
                    if good == end:
                        break
                width //= 2
            kept = kept[: end - good] + kept[end:]
            end -= good + 1
        return kept

    kept = list(operations)
    while True:
        shorter = trim(kept)
        if len(shorter) < len(kept):
            kept = shorter
            continue
        pairs = (kept[:at] + kept[at + 2 :] for at in range(len(kept) - 1))
        shorter = next(filter(fails, pairs), None)
        if shorter is None:
            return tuple(kept)
        kept = shorter


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
