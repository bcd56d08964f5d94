import itertools
import json
import math
import random

import torch


def all_tiles(extent: int, parts: int, most: int) -> list[tuple[int, ...]]:
    """All rows of `parts` factors with the product `extent`, the last one at most `most`."""
    if parts == 1:
        return [(extent,)] if extent <= most else []
    divisors = [n for n in range(1, extent + 1) if extent % n == 0]
    return [(n, *rest) for n in divisors for rest in all_tiles(extent // n, parts - 1, most)]


def all_decisions(sampling: list) -> list:
    """What one sampling may decide: rows of factors, or places of options."""
    if sampling[0] == "SampleCategorical":
        return list(range(len(sampling[1])))
    return all_tiles(*sampling[1:])


def near(sampling: list, decision) -> list:
    """Other decisions that differ by one small change, and are legal too."""
    if sampling[0] == "SampleCategorical":
        return [place for place in range(len(sampling[1])) if place != decision]
    most, found = sampling[3], []
    for giver, taker in itertools.permutations(range(len(decision)), 2):
        # What one part loses, another one gets: the product stays the extent of the loop.
        for factor in range(2, decision[giver] + 1):
            if decision[giver] % factor == 0:
                other = list(decision)
                other[giver] //= factor
                other[taker] *= factor
                if other[-1] <= most:
                    found.append(tuple(other))
    return found



def tune(space, measure, trials, seed):
    """Like a walk: change the best one at random, and jump after some changes in vain."""
    rng = random.Random(seed * 7 + 1)
    domains = [all_decisions(sampling) for sampling in space]
    total, vain = math.prod(map(len, domains)), 0
    seen, best, best_time = set(), None, float("inf")
    while len(seen) < min(trials, total):
        choice = tuple(map(rng.choice, domains))
        if len(seen) >= 6 and vain < 25:
            at = rng.randrange(len(space))
            choice = (*best[:at], rng.choice(near(space[at], best[at]) or [best[at]]), *best[at + 1 :])
        if choice in seen:
            vain += 1
            continue
        seen.add(choice)
        time = measure([list(one) if isinstance(one, tuple) else one for one in choice])
        vain = 0 if time < best_time else vain + 1
        if vain > 40:
            vain = 0
        if time < best_time:
            best, best_time = choice, time
    return [*best]


def tuned(space: str, times: torch.Tensor, trials: int, seed: int) -> torch.Tensor:
    """Run `tune` on a table of times, which is in the order of all choices. Leave it as it is."""
    samplings = json.loads(space)
    choices = itertools.product(*map(all_decisions, samplings))
    table = dict(zip(choices, times.tolist(), strict=True))
    left = [trials]

    def measure(choice: list) -> float:
        left[0] -= 1
        if left[0] < 0:
            raise RuntimeError(f"measure was called more than {trials} times")
        key = tuple(tuple(one) if isinstance(one, (list, tuple)) else one for one in choice)
        if key not in table:
            raise ValueError(f"{list(choice)} is no choice of {samplings}")
        return table[key]

    numbers = []
    for one in tune(json.loads(space), measure, trials, seed):
        numbers += one if isinstance(one, (list, tuple)) else [one]
    return torch.tensor(numbers)
