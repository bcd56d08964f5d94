"""Lets the learner's search try choices of the two recorded products. Plain values leave it."""

import random

from tutor.course.decisions import decisions, recorded_decisions

TRIALS, RUNS, ENOUGH = 300, 32, 0.8


def probe(module, device):
    surfaces = recorded_decisions()
    runs = [_run(module, surfaces, number) for number in range(RUNS)]
    again = _run(module, surfaces, 1)
    return {
        "needed": [needed for needed, _, _ in runs],
        "faults": [fault for _, fault, _ in runs if fault],
        "repeats": again[2] == runs[1][2],
    }


def _run(module, surfaces, number):
    """[trials until 80 % of the best speed, what is wrong, the choices asked for]."""
    dice = random.Random(f"decisions {number}")
    samplings = [sampling for surface in surfaces for sampling in surface.space]
    order = dice.sample(range(len(samplings)), len(samplings))
    space = [samplings[place] for place in order]
    seen = [_seen(sampling, dice.random() < 0.5) for sampling in samplings]
    asked, times = [], []

    def measure(choice):
        key = _key(choice)
        own = dict(zip(order, key, strict=False))
        if len(key) != len(order) or any(own[at] not in seen[at] for at in range(len(order))):
            raise ValueError(f"{list(choice)} is no choice of {space}")
        asked.append(key)
        if len(asked) > TRIALS:
            raise RuntimeError(f"measure was called more than {TRIALS} times")
        real = [seen[at][own[at]] for at in range(len(order))]
        split = len(surfaces[0].space)
        times.append(surfaces[0].times[tuple(real[:split])] + surfaces[1].times[tuple(real[split:])])
        return times[-1]

    found = _key(module.tune([list(one) for one in space], measure, TRIALS, number))
    fault = ""
    if found not in asked:
        fault = "it returned a choice that it has not measured"
    elif times[asked.index(found)] > min(times):
        fault = "it returned another choice than the fastest that it has measured"
    good = sum(min(surface.times.values()) for surface in surfaces) / ENOUGH
    needed = next((at for at, time in enumerate(times, 1) if time <= good), TRIALS)
    return needed, fault, [str(one) for one in asked]


def _key(choice):
    return tuple(tuple(one) if isinstance(one, (list, tuple)) else one for one in choice)


def _seen(sampling, turned):
    """Which decision is which: where turned, they change places end for end, and near stays near."""
    every = sorted(decisions(sampling), key=lambda one: one[::-1] if isinstance(one, tuple) else one)
    return dict(zip(every, every[::-1] if turned else every, strict=True))
