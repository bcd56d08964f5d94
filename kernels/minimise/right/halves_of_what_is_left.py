import itertools
import json
from collections.abc import Callable

import torch

KINDS = ("add", "sub", "mul", "neg", "relu", "tanh", "t")


def smaller(kept: list[str]):
    """Every list with a piece less: halves first, then finer pieces, then overlapping pairs."""
    parts = 1
    while parts < 2 * len(kept):
        borders = [len(kept) * at // parts for at in range(parts + 1)]
        for begin, end in itertools.pairwise(borders):
            if begin < end:
                yield kept[:begin] + kept[end:]
        parts *= 2
    for at in range(len(kept) - 1):
        yield kept[:at] + kept[at + 2 :]


def minimise(operations: list[str], outcome: Callable[[list[str]], str]) -> list[str] | None:
    failure = outcome(operations[:])
    if failure == "right":
        return None
    tried, kept = {}, tuple(operations)

    def same(rest):
        key = tuple(rest)
        if key not in tried:
            tried[key] = outcome(list(rest)) == failure
        return tried[key]

    while True:
        better = next((rest for rest in smaller(list(kept)) if same(rest)), None)
        if better is None:
            return list(kept)
        kept = tuple(better)


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
