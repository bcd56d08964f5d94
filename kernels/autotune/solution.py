import random
from collections.abc import Callable

import torch


def tune(configs: list[list[int]], measure: Callable, trials: int) -> int:
    """The place of the fastest configuration that was measured."""
    dice = random.Random(0)
    place_of = {tuple(config): place for place, config in enumerate(configs)}
    levels = [sorted({config[i] for config in configs}) for i in range(5)]
    order = dice.sample(range(len(configs)), len(configs))
    times: dict[int, float] = {}

    def ask(place: int) -> None:
        # What cannot run is infinitely slow, so no other line has to think of it.
        found = measure(place)
        times[place] = float("inf") if found is None else found

    def neighbours(config: list[int]) -> list[int]:
        """Places of those that are one step away in one parameter and were not measured."""
        found = []
        for i in range(5):
            at = levels[i].index(config[i])
            for step in (at - 1, at + 1):
                if 0 <= step < len(levels[i]):
                    near = (*config[:i], levels[i][step], *config[i + 1 :])
                    found.append(place_of.get(near, -1))
        return [place for place in found if place >= 0 and place not in times]

    # A few at random, so that the climb begins on some slope.
    for place in order[: min(6, trials)]:
        ask(place)
    while len(times) < min(trials, len(configs)):
        best = min(times, key=times.__getitem__)
        # At the top of a hill nothing near is left: go on somewhere else.
        near = neighbours(configs[best]) or [next(p for p in order if p not in times)]
        ask(dice.choice(near))
    return min(times, key=times.__getitem__)


def tuned(configs: torch.Tensor, times: torch.Tensor, trials: int) -> torch.Tensor:
    """Run `tune` on a table of times; NaN stands for what cannot run. Leave it as it is."""
    left = [trials]

    def measure(place: int) -> float | None:
        left[0] -= 1
        if left[0] < 0:
            raise RuntimeError(f"measure was called more than {trials} times")
        time = times[place].item()
        return None if time != time else time

    return torch.tensor(tune(configs.tolist(), measure, trials))
