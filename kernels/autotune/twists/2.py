import random

import torch


def tune(configs, measure, trials):
    rng = random.Random(5)
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
        here = configs[best()]

        def distance(place, here=here):
            other = configs[place]
            return sum(abs(levels[i].index(here[i]) - levels[i].index(other[i])) for i in range(5))

        ask(min((p for p in order if p not in times), key=distance))
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
