"""Lets the learner's tuner search the recorded surface. Plain values leave it."""

import random

from tutor.course.surface import recorded_surface

TRIALS, ORDERS = 20, 6


def probe(module, device):
    surface = recorded_surface()
    return {
        name: [_ratio(module, surface, name, i) for i in range(ORDERS)] for name in surface.shapes
    }


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
