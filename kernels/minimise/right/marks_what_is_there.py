import itertools
import json
from collections.abc import Callable

import torch

KINDS = ("add", "sub", "mul", "neg", "relu", "tanh", "t")


def minimise(operations: list[str], outcome: Callable[[list[str]], str]) -> list[str] | None:
    """A flag for each operation; pieces are counted among those that are still there."""
    there = [True] * len(operations)

    def ask():
        return outcome([name for name, flag in zip(operations, there, strict=True) if flag])

    first = ask()
    if first == "right":
        return None

    def without(places):
        for place in places:
            there[place] = False
        if ask() == first:
            return True
        for place in places:
            there[place] = True
        return False

    def left():
        return [place for place, flag in enumerate(there) if flag]

    width = len(operations)
    while width:
        places = left()
        pieces = [places[at : at + width] for at in range(0, len(places), width)]
        gone = [without(piece) for piece in pieces[::-1]]
        if width > 1:
            width //= 2
        elif not any(gone):
            places = left()
            if not any(without(pair) for pair in itertools.pairwise(places)):
                width = 0
    return [operations[place] for place in left()]


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
