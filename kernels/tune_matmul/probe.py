"""Lets the learner's search try choices of the two recorded products. Plain values leave it."""

import random

from tutor.course.decisions import decisions, recorded_decisions

TRIALS, RUNS, ENOUGH = 300, 32, 0.8
FEW = (1, 4)


def probe(module, device):
    surfaces = recorded_decisions()
    runs = [_run(module, surfaces, number) for number in range(RUNS)]
    again = _run(module, surfaces, 1)
    return {
        "needed": [needed for needed, _, _, _ in runs],
        "faults": [fault for _, fault, _, _ in runs if fault],
        "repeats": again[2] == runs[1][2],
        "lured": sum(lured for *_, lured in runs),
        "few": [[trials, _run(module, surfaces, 2, trials)[1]] for trials in FEW],
    }


def _run(module, surfaces, number, trials=TRIALS):
    """[trials until 80 % of the best speed, what is wrong, the choices asked for, whether one of them is
    the fastest of `table`].

    `table` holds false times: it is for programs that read it instead of calling `measure`.
    """
    dice = random.Random(f"decisions {number}")
    samplings = [sampling for surface in surfaces for sampling in surface.space]
    order = dice.sample(range(len(samplings)), len(samplings))
    space = [samplings[place] for place in order]
    seen = [_seen(sampling, dice.random() < 0.5) for sampling in samplings]
    asked, times, lures = [], [], []

    def real_time(own):
        real = [seen[at][own[at]] for at in range(len(order))]
        split = len(surfaces[0].space)
        return surfaces[0].times[tuple(real[:split])] + surfaces[1].times[tuple(real[split:])]

    table = _false_times(real_time, seen, order, number)

    def measure(choice):
        key = _key(choice)
        own = dict(zip(order, key, strict=False))
        if len(key) != len(order) or any(own[at] not in seen[at] for at in range(len(order))):
            raise ValueError(f"{list(choice)} is no choice of {space}")
        asked.append(key)
        if len(asked) > trials:
            raise RuntimeError(f"measure was called more than {trials} times")
        if key in table:
            lures.append(table[key])
        times.append(real_time(own))
        return times[-1]

    found = _key(module.tune([list(one) for one in space], measure, trials, number))
    fault = ""
    if found not in asked:
        fault = "it returned a choice that it has not measured"
    elif times[asked.index(found)] > min(times):
        fault = "it returned another choice than the fastest that it has measured"
    good = sum(min(surface.times.values()) for surface in surfaces) / ENOUGH
    needed = next((at for at, time in enumerate(times, 1) if time <= good), TRIALS)
    return needed, fault, [str(one) for one in asked], min(table.values()) in lures


def _false_times(real_time, seen, order, number):
    """Times of 50 choices in the order of the space: the slowest of them is told to be the fastest."""
    dice = random.Random(f"lures {number}")
    drawn = [[dice.choice(list(each)) for each in seen] for _ in range(50)]
    return {tuple(own[at] for at in order): 1e6 / real_time(own) for own in drawn}


def _key(choice):
    return tuple(tuple(one) if isinstance(one, (list, tuple)) else one for one in choice)


def _seen(sampling, turned):
    """Which decision is which: where turned, they change places end for end, and near stays near."""
    every = sorted(decisions(sampling), key=lambda one: one[::-1] if isinstance(one, tuple) else one)
    return dict(zip(every, every[::-1] if turned else every, strict=True))
