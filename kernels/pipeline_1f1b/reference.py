import re
import runpy
from pathlib import Path

import torch

from tutor.judge.cases.pipelines import Pipe, Refused, run_orders
from tutor.judge.spec import Case, Work

SIZES = runpy.run_path(str(Path(__file__).with_name("probe.py")))["SIZES"]


def reference(plans):
    return counted(plans)


def counted(plans, change=""):
    """The three results. `change` names a mistake."""
    stages, microbatches, forward, backward = plans.double().unbind(1)
    each = forward + backward
    work, idle = microbatches * each, (stages - 1) * each
    if change == "p":
        idle = stages * each
    elif change == "forward":
        idle = (stages - 1) * forward
    elif change == "backward":
        idle = (stages - 1) * (forward + 2 * backward)
    elif change == "fill":
        idle = 2 * (stages - 1) * each
    elif change == "swapped sizes":
        work, idle = stages * each, (microbatches - 1) * each
    time = work + idle
    if change == "all":
        return torch.stack([time, stages * idle / time, stages * idle / work], 1)
    if change == "no idle":
        return torch.stack([work, idle / time, idle / work], 1)
    if change == "swapped":
        return torch.stack([time, idle / work, idle / time], 1)
    if change == "time twice":
        return torch.stack([time, idle / time, idle / time], 1)
    if change == "work twice":
        return torch.stack([time, idle / work, idle / work], 1)
    if change == "used":
        return torch.stack([time, work / time, idle / work], 1)
    return torch.stack([time, idle / time, idle / work], 1)


eager = reference


def by_mistake(change):
    return lambda plans: counted(plans, change)


NEAR_MISSES = (
    ("a stage is idle for p, and not p - 1, microbatches", by_mistake("p")),
    ("a stage is idle during forwards alone", by_mistake("forward")),
    ("the idle time counts the backwards twice", by_mistake("backward")),
    ("the pipeline fills and drains for a forward and a backward each", by_mistake("fill")),
    ("stages and microbatches change places", by_mistake("swapped sizes")),
    ("the idle time is that of all stages, and work and time are those of one", by_mistake("all")),
    ("the step takes no longer than a stage works", by_mistake("no idle")),
    ("the two bubbles change places", by_mistake("swapped")),
    ("both bubbles are parts of the time", by_mistake("time twice")),
    ("both bubbles are parts of the work", by_mistake("work twice")),
    ("the second result is the part of the time that is used", by_mistake("used")),
)


PROMISED = (
    (
        "There is a stage and a microbatch at least",
        lambda plans: plans.dim() == 2 and plans.shape[1] == 4 and bool((plans[:, :2] >= 1).all()),
    ),
)


def work(plans):
    return Work(bytes=8 * (plans.numel() + 3 * len(plans)) + 1, flops=0)


def explain_wrong(got, plans):
    """Say of the first wrong plan which result is wrong."""
    want = counted(plans)
    wrong = ~((got - want).abs() <= 1e-9 * want.abs().clamp(min=1))  # a NaN is wrong
    if not wrong.any():
        return None
    row, column = (int(at) for at in wrong.nonzero()[0])
    stages, microbatches, forward, backward = plans[row].tolist()
    what = ("the time of the step", "the part of the time", "the part of the work")[column]
    right, mine = want[row, column].item(), got[row, column].item()
    digits = next((n for n in (4, 8, 12) if f"{right:.{n}g}" != f"{mine:.{n}g}"), 17)
    return (
        f"Of {stages:.0f} stages and {microbatches:.0f} microbatches, forward {forward:g} and backward "
        f"{backward:g}, {what} is {right:.{digits}g}, and you return {mine:.{digits}g}."
    )


# --- orders ---------------------------------------------------------------------------------------


def measured(answer, size):
    stages, microbatches, forward, backward = size
    pipe = Pipe(stages, microbatches, forward, backward)
    if isinstance(answer, list) and len(answer) != stages:
        raise Refused(f"There are {len(answer)} lists, and {stages} stages.")
    for stage, order in enumerate(answer if isinstance(answer, list) else ()):
        for text in order if isinstance(order, list) else ():
            # The simulator knows more operations, and speaks of ranks.
            if not re.fullmatch(r"[FB][0-9]{1,5}", text, re.ASCII):
                told = "expected a text such as 'F0' or 'B0'"
                raise Refused(f"The list of stage {stage} has {text!r}; {told}.")
            if int(text[1:]) >= microbatches:
                last = microbatches - 1
                raise Refused(f"Stage {stage} does {text}, and the last microbatch is {last}.")
            if order.count(text) > 1:
                raise Refused(f"Stage {stage} does {text} twice.")
    return run_orders(answer, pipe)


def limits(size):
    """Return the shortest time, and by stage how many microbatches may be alive."""
    stages, microbatches, forward, backward = size
    time = (microbatches + stages - 1) * (forward + backward)
    return time, [min(stages - stage, microbatches) for stage in range(stages)]


def too_much(run, size):
    """Return the sentence for what is over a limit, else an empty text."""
    time, alive = limits(size)
    if run.time > time + 1e-9:
        forward, backward = size[2:]
        return (
            f"with a forward of {forward:g} and a backward of {backward:g} the step takes {run.time:g}, "
            f"and {time:g} are enough. Stage 0 is idle for {run.time - run.busy[0]:g}: which forward "
            f"could it do while it waits for its first backward?"
        )
    for stage, (most, enough) in enumerate(zip(run.alive, alive, strict=True)):
        if most > enough:
            return (
                f"the step takes no longer than it must, but stage {stage} has the activations of "
                f"{most} microbatches alive at once, and {enough} "
                f"{'is' if enough == 1 else 'are'} enough. Which backward could have come earlier?"
            )
    return ""


def first_wrong(found):
    """Return the place, the code and the sentence of the first size that is refused, else None."""
    for at, (answer, size) in enumerate(zip(found["orders"], SIZES, strict=True)):
        where = f"`orders({size[0]}, {size[1]})`"
        try:
            told = too_much(measured(answer, size), size)
        except Refused as refused:
            return at, "wrong-values", f"{where}: {refused}"
        if told:
            return at, "wrong-values", f"{where}: {told}"
    return None


def check_found(found):
    wrong = first_wrong(found)
    return wrong and wrong[1:]


def figures(found):
    """Tell time and activations of the first size, beside those of all forwards first."""
    run = measured(found["orders"][0], SIZES[0])
    return {
        "time for 4 stages and 8 microbatches": f"{run.time:g} (all forwards first: 33)",
        "alive on stages 0 to 3": f"{', '.join(map(str, run.alive))} (all forwards first: 8 each)",
    }


def chart(found):
    """Draw the orders that are refused, else those of the first size."""
    wrong = first_wrong(found)
    at = wrong[0] if wrong else 0
    try:
        run = measured(found["orders"][at], SIZES[at])
    except Refused:
        return None
    return f"your orders({SIZES[at][0]}, {SIZES[at][1]})", "units of time", run.spans


# --- cases ----------------------------------------------------------------------------------------


def fixed(*rows):
    return lambda g: (torch.tensor(rows, dtype=torch.float64),)


def drawn(count, most_stages, most_microbatches):
    """Plans with times in quarters."""

    def make(g):
        def whole(low, high):
            return torch.randint(low, high + 1, (count,), generator=g).double()

        sizes = whole(1, most_stages), whole(1, most_microbatches)
        return (torch.stack([*sizes, whole(1, 12) / 4, whole(1, 24) / 4], 1),)

    return make


def columns_first(g):
    """A view: the four numbers of a plan do not lie side by side."""
    return (drawn(5, 8, 32)(g)[0].T.contiguous().T,)


CASES = (
    Case("4 stages, 8 microbatches", fixed((4, 8, 1, 2))),
    Case("one stage", fixed((1, 3, 1, 2), (1, 1, 0.5, 0.75))),
    Case("fewer microbatches than stages", fixed((8, 2, 1, 2), (3, 1, 2, 3))),
    Case("a backward as long as a forward", fixed((2, 6, 1, 1), (4, 32, 0.25, 0.25))),
    Case("drawn", drawn(9, 16, 64)),
    Case("drawn, many stages", drawn(6, 96, 500)),
    Case("plans as a view", columns_first),
)
