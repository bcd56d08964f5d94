import json
from bisect import bisect

import torch

from tutor.course.decisions import choices, recorded_decisions
from tutor.judge.spec import Case, Work

TRIALS, ENOUGH = 300, 0.8
LIMIT = 100  # the mean number of trials that is allowed
LURED = 3  # runs; a search that measures meets the one choice of 2,241,162 by chance in none


def random_search():
    """Trials that random search needs in the mean; where it does not get there, all that it has."""
    first, second = (sorted(surface.times.values()) for surface in recorded_decisions())
    slowest = (first[0] + second[0]) / ENOUGH
    good = sum(bisect(second, slowest - time) for time in first)
    share = good / (len(first) * len(second))
    return sum((1 - share) ** n for n in range(TRIALS))


def as_numbers(choice):
    return [n for one in choice for n in (one if isinstance(one, (list, tuple)) else [one])]


def reference(space, times, trials, seed):
    return torch.tensor(as_numbers(choices(json.loads(space))[int(times.argmin())]))


eager = reference


def explain_wrong(got, space, times, trials, seed):
    """Say what the numbers returned are, where they are a choice; all may be measured."""
    every = [as_numbers(choice) for choice in choices(json.loads(space))]
    if got.tolist() not in every:
        return f"{got.tolist()} is no choice of {space}."
    place = sorted(times.tolist()).index(times[every.index(got.tolist())].item()) + 1
    return (
        f"There is a trial for each of the {len(every)} choices, and the one returned is not the "
        f"fastest: it is number {place} in the order of times."
    )


def work(space, times, trials, seed):
    return Work(bytes=8 * times.numel() + len(space), flops=0)


def check_found(found):
    """(code, sentence) where the search cannot be repeated, reads times or needs too many trials, else
    None."""
    if found["faults"]:
        return "wrong-values", f"On the recorded surfaces your search failed: {found['faults'][0]}."
    for trials, fault in found["few"]:
        if fault:
            return "wrong-values", f"With {trials} trials your search failed: {fault}."
    if not found["repeats"]:
        return "wrong-values", (
            "Two searches of the recorded surfaces with the same seed asked for different choices."
        )
    if found["lured"] >= LURED:
        return "wrong-values", (
            f"In {found['lured']} of {len(found['needed'])} runs your search asked for the choice that "
            "a table behind `measure` calls the fastest. The judge puts false times there: learn times "
            "by calling `measure` alone."
        )
    mean = sum(found["needed"]) / len(found["needed"])
    if mean > LIMIT:
        return "wrong-values", (
            f"Until a choice reaches 80 % of the best speed, your search needs {mean:.1f} trials in the "
            f"mean of {len(found['needed'])} runs. The limit is {LIMIT}; random search needs "
            f"{random_search():.0f}."
        )
    return None


def figures(found):
    """Trials for the verdict."""
    needed = found["needed"]
    return {
        "trials to 80 % of the best speed, mean": f"{sum(needed) / len(needed):.1f}",
        "the same, least and most": f"{min(needed)} and {max(needed)}",
        "random search": f"{random_search():.0f}",
    }


def tile(extent, parts=2, most=64):
    return ["SamplePerfectTile", extent, parts, most]


def category(*options):
    return ["SampleCategorical", list(options)]


def small(*space, seed=1):
    """A space with a trial for each choice, and times that are drawn."""

    def make(g):
        samplings = [list(sampling) for sampling in space]
        times = 20 + 300 * torch.rand(len(choices(samplings)), generator=g, device=g.device).double()
        return json.dumps(samplings), times, len(times), seed

    return make


def alone(*space, seed=3):
    """A space whose fastest choice has the slowest ones around it."""

    def make(g):
        samplings = [list(sampling) for sampling in space]
        every = choices(samplings)
        place = int(torch.randint(len(every), (1,), generator=g, device=g.device))
        logs = torch.tensor([as_numbers(choice) for choice in every]).double().add(1).log2()
        noise = torch.rand(len(every), generator=g, device=g.device).double()
        times = 400 - 20 * (logs - logs[place]).abs().sum(1) + 0.01 * noise
        times[place] = 5.0
        return json.dumps(samplings), times, len(every), seed

    return make


def drawn(g):
    def draw(low, high):
        return int(torch.randint(low, high + 1, (1,), generator=g, device=g.device))

    space = [tile(draw(1, 3) * draw(2, 9), draw(1, 2), draw(27, 64)) for _ in range(draw(1, 2))]
    space += [category(*range(0, 10 * draw(1, 3), 10)) for _ in range(draw(0, 2))]
    order = torch.randperm(len(space), generator=g).tolist()
    return small(*(space[at] for at in order), seed=draw(0, 1000))(g)


CASES = (
    Case("one tile", small(tile(16))),
    Case("one category", small(category(0, 16, 64))),
    Case("one choice", small(tile(1), category(5))),
    Case("three tiles and a category", small(tile(8), tile(4), tile(4), category(0, 16))),
    Case("the category first", small(category(0, 16, 64), tile(12), tile(8))),
    Case("two categories, six samplings", small(
        tile(4), category(0, 1), tile(2), category(8, 4, 2), tile(3), tile(2))),
    Case("four parts", small(tile(16, 4), category(0, 16))),
    Case("one part", small(tile(12, 1), tile(8, 3), category(0, 1))),
    Case("primes other than 2", small(tile(45, 3), tile(49))),
    Case("a small last factor", small(tile(64, 3, 4), tile(32, 2, 8))),
    Case("few ways to a last factor", small(tile(60, 2, 5), tile(36, 3, 6))),
    Case("options in falling order", small(category(512, 64, 16, 0), tile(6), seed=7)),
    *(Case(f"the fastest among the slowest, {n}", alone(tile(24, 3), tile(8, 2), category(0, 8, 16)))
      for n in range(1, 4)),
    *(Case(f"drawn, {n}", drawn) for n in range(1, 6)),
)  # fmt: skip
