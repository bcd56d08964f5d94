"""Lets the learner's tuner search the recorded surface. Plain values leave it."""

import random

from tutor.course.surface import recorded_surface

TRIALS, ORDERS = 20, 6
FEW = (1, 3, 12)


def probe(module, device):
    surface = recorded_surface()
    found = {
        name: [_ratio(module, surface, name, i) for i in range(ORDERS)] for name in surface.shapes
    }
    few = [_few(module, surface, trials, runs) for trials in FEW for runs in (True, False)]
    return {**found, "few": few}


def _few(module, surface, trials, runs):
    """Return [trials, calls of `measure`, what is wrong with the place]; `runs`: all run, or none."""
    asked = {}
    calls = []

    def measure(place):
        calls.append(place)
        if len(calls) <= trials:
            asked[place] = 100.0 + place * 37 % 216 / 200  # all within 1.1 %: nearly the fastest shows
        return asked.get(place) if runs else None

    place = module.tune([list(each) for each in surface.configs], measure, trials)
    wrong = ""
    if not isinstance(place, int) or place not in asked:
        wrong = "a place that it has not measured"
    elif runs and asked[place] > min(asked.values()):
        wrong = "a place that is slower than another one that it has measured"
    return [trials, len(calls), wrong]


def _ratio(module, surface, name, seed):
    """[time found / best time, calls of measure], or [reason, calls]."""
    order = random.Random(f"{name} {seed}").sample(
        range(len(surface.configs)), len(surface.configs)
    )
    times, asked = [surface.times[name][i] for i in order], []
    configs = [list(surface.configs[i]) for i in order]
    if seed % 2:  # near stays near, and whoever knows which numbers are good is misled
        configs = _turned_round(configs)

    def measure(place):
        asked.append(place)
        return times[place] if len(asked) <= TRIALS else None

    place = module.tune(configs, measure, TRIALS)
    if not isinstance(place, int) or place not in asked[:TRIALS]:
        return [-1.0, len(asked)]
    best = min(time for time in times if time is not None)
    return [times[place] / best if times[place] is not None else 1e9, len(asked)]


def _turned_round(configs):
    """The configurations with the values of each parameter exchanged end for end."""
    levels = [sorted(set(one)) for one in zip(*configs, strict=True)]
    other = [dict(zip(each, reversed(each), strict=True)) for each in levels]
    return [[other[i][value] for i, value in enumerate(config)] for config in configs]
