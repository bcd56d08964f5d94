import runpy
from pathlib import Path

import torch

from tutor.judge.cases.streams import Refused, run_order
from tutor.judge.spec import Case, Work

_PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
PROGRAMS, as_given = _PROBE["PROGRAMS"], _PROBE["as_given"]
CHANGED = _PROBE["CHANGED"]
CHARTED = 1  # of the programs
MORE = 1.2  # of the time that the plain passes need


def reference(order, times):
    return measured(order, times)


def measured(order, times, change=""):
    """When each operation begins and ends. `change` names a mistake."""
    collectives = {entry[5:] for entry in order if entry.startswith("wait ")}
    takes = iter(times.tolist())
    now = free = 0.0
    rows = {}
    for entry in order:
        if entry.startswith("wait "):
            if change != "no wait":
                now = max(now, free if change == "all" else rows[entry[5:]][1])
        elif entry in collectives and change != "one stream":
            begin = max(now, free)
            if change == "computations":
                begin = free
            elif change == "collectives":
                begin = now
            free = begin + next(takes)
            rows[entry] = [begin, free]
            if change == "blocks":
                now = free
        else:
            begin = max(now, free) if change == "queue" else now
            now = begin + next(takes)
            rows[entry] = [begin, now]
    if change == "durations":
        rows = {name: [begin, end - begin] for name, (begin, end) in rows.items()}
    return torch.tensor(list(rows.values()), dtype=torch.float64)


eager = reference


def by_mistake(change):
    return lambda order, times: measured(order, times, change)


NEAR_MISSES = (
    ("a wait changes nothing", by_mistake("no wait")),
    ("a wait waits for every collective so far, and not for its own", by_mistake("all")),
    ("a collective does not wait for the computations before it", by_mistake("computations")),
    ("collectives run beside each other", by_mistake("collectives")),
    ("collectives run on the stream of computations", by_mistake("one stream")),
    ("a computation begins when the collective before it is done", by_mistake("blocks")),
    ("a computation waits for the stream of collectives", by_mistake("queue")),
    ("the second column is how long it takes", by_mistake("durations")),
)


def work(order, times):
    return Work(bytes=24 * len(times), flops=0)


def plain_passes(ops, limit):
    """Waits as late, then gathers as early as they may go, each place by place."""
    order = as_given(ops)
    gathers = {op.name for op in ops if op.kind == "gather"}

    def move(entry, step, stops):
        at = order.index(entry)
        while 0 <= at + step < len(order) and order[at + step] not in stops:
            order[at], order[at + step] = order[at + step], order[at]
            try:
                fits = run_order(order, ops).peak <= limit
            except Refused:
                fits = False
            if not fits:
                order[at], order[at + step] = order[at + step], order[at]
                return
            at += step

    for op in ops:
        if op.collective:
            move(f"wait {op.name}", 1, ())
    for op in ops:
        if op.kind == "gather":
            move(op.name, -1, gathers)
    return order


PLAIN = [run_order(plain_passes(ops, limit), ops) for _, ops, limit in PROGRAMS]


def check_found(found):
    """Return code and sentence for the first order that is refused, too large or too slow, or None."""
    for (name, ops, limit), order, plain in zip(PROGRAMS, found["orders"], PLAIN, strict=True):
        where = f"`overlap` for “{name}”"
        if isinstance(order, str):
            told = f"returns {order}; expected a list of texts" if order != CHANGED else CHANGED
            return "wrong-values", f"{where} {told}."
        try:
            run = run_order(order, ops)
        except Refused as refused:
            return "wrong-values", f"{where} is refused. {refused}"
        if run.peak > limit:
            return (
                "wrong-values",
                f"{where} holds {run.peak} bytes at once, and {limit} are the limit.",
            )
        if run.time > MORE * plain.time:
            return (
                "wrong-values",
                f"{where} takes {run.time:g}, and for {run.exposed:g} of it no computation runs. "
                f"{plain.time:g} can be had within {limit} bytes.",
            )
    return None


def figures(found):
    """Time, and time without a computation, over all programs, beside the order as given."""
    runs = [
        run_order(order, ops)
        for (_, ops, _), order in zip(PROGRAMS, found["orders"], strict=True)
    ]
    given = [run_order(as_given(ops), ops) for _, ops, _ in PROGRAMS]
    return {
        "time of all programs": f"{sum(run.time for run in runs):g} "
        f"(as given: {sum(run.time for run in given):g})",
        "without a computation": f"{sum(run.exposed for run in runs):g} "
        f"(as given: {sum(run.exposed for run in given):g})",
    }


def chart(found):
    """Draw what both streams do in five layers backward, by the learner's order."""
    name, ops, _ = PROGRAMS[CHARTED]
    try:
        run = run_order(found["orders"][CHARTED], ops)
    except (Refused, TypeError, KeyError):
        return None
    return f"“{name}”, in your order", "time", run.spans


def fixed(order, *times):
    """A case of one order, given as a text with commas."""
    return lambda g: (
        [entry.strip() for entry in order.split(",")],
        torch.tensor(times, dtype=torch.float64),
    )


def drawn(layers, ahead, late, names="gcr"):
    """A case of `layers` gathers, begun up to `ahead` layers early, with reductions that are waited for
    up to `late` computations later. Times in quarters, so that sums are exact."""

    def make(g):
        def draw(low, high):
            return int(torch.randint(low, high + 1, (), generator=g))

        gather, compute, reduce = names
        order, begun, open_ = [], 0, []
        for layer in range(layers):
            for which in range(begun, min(layers, layer + 1 + draw(0, ahead))):
                order.append(f"{gather}{which}")
                begun = which + 1
            order += [f"wait {gather}{layer}", f"{compute}{layer}", f"{reduce}{layer}"]
            open_.append(f"{reduce}{layer}")
            while open_ and draw(0, late) == 0:
                order.append(f"wait {open_.pop(draw(0, len(open_) - 1))}")
        order += [f"wait {name}" for name in open_]
        return order, torch.randint(1, 24, (3 * layers,), generator=g).double() / 4

    return make


def every_second(g):
    """A view: the times lie in every second place of a longer tensor."""
    order, times = drawn(5, 2, 2)(g)
    return order, times.repeat_interleave(2)[::2]


CASES = (
    Case("one layer", fixed("g, wait g, c", 3.0, 2.0)),
    Case("a gather behind a computation", fixed("c, g, d, wait g, e", 2.0, 5.0, 1.0, 4.0)),
    Case("two gathers ahead", fixed("a, b, wait a, c, wait b, d", 4.0, 3.0, 1.0, 2.0)),
    Case("waited for in another order", fixed("a, b, wait b, c, wait a, d", 4.0, 3.0, 1.0, 2.0)),
    Case("computations alone", fixed("c, d, e", 1.5, 2.5, 0.5)),
    Case("drawn, one ahead", drawn(6, 1, 1)),
    Case("drawn, far ahead, other names", drawn(9, 4, 3, names="rgc")),
    Case("times as a view", every_second),
)
