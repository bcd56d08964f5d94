import math

import torch

from tutor.course.surface import recorded_surface
from tutor.judge.spec import Case, Work

TRIALS, AS_GOOD_AS = 20, 45


def random_search(times, trials):
    """Expected time of the best of some different configurations, over the best of all."""
    ran = sorted(time for time in times if time is not None)
    ways = math.comb(len(times), trials)
    below = [math.comb(len(times) - 1 - i, trials - 1) / ways for i in range(len(ran))]
    return sum(time * share for time, share in zip(ran, below, strict=True)) / ran[0]


def expected(trials):
    surface = recorded_surface()
    return sum(random_search(times, trials) for times in surface.times.values()) / len(
        surface.shapes
    )


def reference(configs, times, trials):
    ran = torch.where(times.isnan(), float("inf"), times)
    return torch.argmin(ran)


eager = reference


def explain_wrong(got, configs, times, trials):
    """Say what stands at the place returned; all times may be measured."""
    place = int(got)
    if not 0 <= place < len(times):
        return f"{place} is no place: there are {len(times)} configurations."
    if times[place].isnan():
        return "The configuration returned cannot run: `measure` says None of it."
    return (
        "There are trials for all configurations, and the place returned is not that of the "
        "fastest one."
    )


def work(configs, times, trials):
    return Work(bytes=8 * (configs.numel() + times.numel()) + 8, flops=0)


def mean_ratio(found):
    ratios = [ratio for name in recorded_surface().shapes for ratio, _ in found[name]]
    return sum(ratios) / len(ratios)


def check_found(found):
    """(code, sentence) where the tuner asks too often, or finds too little, else None."""
    for trials, asked, wrong in found["few"]:
        if asked > trials:
            return "wrong-values", (
                f"With {trials} trials for 216 configurations your tuner called `measure` {asked} times."
            )
        if wrong:
            return "wrong-values", (
                f"With {trials} trials for 216 configurations your tuner returned {wrong}."
            )
    for name in recorded_surface().shapes:
        for ratio, asked in found[name]:
            if asked > TRIALS:
                return "wrong-values", (
                    f"On the recorded surface `{name}` your tuner called `measure` {asked} times; "
                    f"{TRIALS} are allowed."
                )
            if ratio < 0:
                return "wrong-values", (
                    f"On the recorded surface `{name}` your tuner returned a place that it has not "
                    "measured."
                )
    mean, limit = mean_ratio(found), expected(AS_GOOD_AS)
    if mean > limit:
        return "wrong-values", (
            f"With {TRIALS} trials your tuner finds configurations that take {mean:.3f} times the "
            f"best time, in the mean of three shapes and six orders. Random search with {TRIALS} trials "
            f"is expected to reach {expected(TRIALS):.3f}, with {AS_GOOD_AS} trials {limit:.3f}: that "
            "is the limit."
        )
    return None


def figures(found):
    """Means for the verdict."""
    shown = {
        f"`{name}`, time found / best time": f"{sum(r for r, _ in found[name]) / len(found[name]):.3f}"
        for name in recorded_surface().shapes
    }
    shown["random search, 20 trials"] = f"{expected(TRIALS):.3f}"
    return shown


def table(levels, *, failed=0, only=None, view=False):
    def make(g):
        def draw(n):
            return torch.randperm(n, generator=g, device=g.device)

        configs = torch.cartesian_prod(*(torch.tensor(each) for each in levels))
        configs = configs[draw(len(configs))][:only]
        times = 20 + 300 * torch.rand(len(configs), generator=g, device=g.device)
        times[draw(len(configs))[:failed]] = float("nan")
        if view:
            configs, times = configs.T.contiguous().T, times.repeat_interleave(2)[::2]
        return configs, times, len(configs)

    return make


def needle(g):
    """A large table whose fastest configuration has the slowest ones around it."""
    levels = [[32, 64, 128, 256], [64, 128, 256], [32, 64, 128], [4, 8], [2, 3, 4]]
    configs, times, trials = table(levels)(g)
    place = int(torch.randint(1, len(configs), (1,), generator=g, device=g.device))
    logs = configs.double().log2()
    times = 400 - 20 * (logs - logs[place]).abs().sum(1) + 0.01 * times
    times[place] = 5.0
    return configs, times, trials


SMALL = [[32, 64], [64, 128], [32], [4, 8], [2, 3]]
CASES = (
    Case("one configuration", table([[64], [64], [32], [4], [3]])),
    Case("one configuration, and it cannot run", table([[64], [64], [32], [4], [3]], failed=1)),
    Case("sixteen", table(SMALL)),
    Case("half of them cannot run", table(SMALL, failed=8)),
    Case("only one can run", table(SMALL, failed=15)),
    Case("a space with holes", table(SMALL, only=7, failed=2)),
    Case("views", table(SMALL, failed=4, view=True)),
    Case("more stages", table([[64], [64], [32, 64, 128], [4], [2, 3, 4, 5]], failed=3)),
    *(Case(f"216, the fastest among the slowest, {n}", needle) for n in range(1, 7)),
)
