import random

import torch


def tune(configs, measure, trials):
    rng = random.Random(5)
    place_of = {tuple(c): i for i, c in enumerate(configs)}
    levels = [sorted({c[i] for c in configs}) for i in range(5)]
    order = rng.sample(range(len(configs)), len(configs))
    times = {}

    def ask(place):
        if place not in times and len(times) < trials:
            times[place] = measure(place) or float("inf")

    def best():
        return min(times, key=times.get)

    for place in order[: min(6, trials)]:
        ask(place)
    while len(times) < min(trials, len(configs)):
        known = len(times)
        for i in rng.sample(range(5), 5):
            now = list(configs[best()])
            at = levels[i].index(now[i])
            for level in sorted(levels[i], key=lambda x: abs(levels[i].index(x) - at)):
                place = place_of.get((*now[:i], level, *now[i + 1 :]))
                if place is not None:
                    ask(place)
        if len(times) == known:
            ask(next(p for p in order if p not in times))
    return best()


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
