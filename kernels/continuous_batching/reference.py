import runpy
from itertools import pairwise
from pathlib import Path

import torch

from tutor.judge.cases.serving import Refused, replay, serve
from tutor.judge.spec import Case, Work

LOADS = runpy.run_path(str(Path(__file__).with_name("probe.py")))["LOADS"]
CHARTED = 0  # of the loads


def reference(arrivals, times):
    return measured(arrivals, times)


def measured(arrivals, times, change=""):
    """The three times of each request. `change` names a mistake."""
    rows = []
    for arrived, written in zip(arrivals.tolist(), times, strict=True):
        gaps = [later - one for one, later in pairwise(written)]
        first = written[0] - arrived
        tpot = sum(gaps) / len(gaps) if gaps else 0.0
        longest = max(gaps, default=0.0)
        if change == "n":
            tpot = sum(gaps) / len(written)
        elif change == "arrival":
            tpot = (written[-1] - arrived) / len(written)
        elif change == "wait":
            longest = max(first, longest)
        elif change == "clock":
            first = written[0]
        elif change == "mean":
            longest = tpot
        elif change == "last":
            longest = gaps[-1] if gaps else 0.0
        elif change == "end":
            first = written[-1] - arrived
        elif change == "order":
            first, tpot, longest = first, longest, tpot
        rows.append([first, tpot, longest])
    return torch.tensor(rows, dtype=torch.float64)


eager = reference


def by_mistake(change):
    return lambda arrivals, times: measured(arrivals, times, change)


NEAR_MISSES = (
    ("TPOT is divided by the tokens, and not by the gaps between them", by_mistake("n")),
    ("TPOT has the wait for the first token in it", by_mistake("arrival")),
    ("the wait for the first token counts as a gap", by_mistake("wait")),
    ("the first token's time is the clock's, not counted from the arrival", by_mistake("clock")),
    ("the longest gap is the mean gap", by_mistake("mean")),
    ("the longest gap is the last one", by_mistake("last")),
    ("the first time is that of the last token", by_mistake("end")),
    ("TPOT and the longest gap change places", by_mistake("order")),
)


def work(arrivals, times):
    return Work(bytes=8 * (arrivals.numel() + 3 * len(times)), flops=0)


def plain_policy(waiting, running, free, server):
    """First come, first served: as many as fit."""
    names, room = [], server.budget - len(running)
    for request in waiting:
        blocks = server.blocks_for(request.left)
        if request.left > room or blocks > free or len(running) + len(names) == server.places:
            break
        names.append(request.name)
        room, free = room - request.left, free - blocks
    return names


PLAIN = [serve(plain_policy, requests, server) for _, requests, server in LOADS]


def most_of(plain):
    """Return what is allowed, by what is measured."""
    return {
        "steps": 1.1 * plain.steps + 2,
        "evictions": 1.25 * plain.evictions + 3,
        "longest wait": 2 * plain.longest_wait + 8,
        "longest gap": 2 * plain.longest_gap + 8,
    }


def figures_of(run):
    return {
        "steps": run.steps,
        "evictions": run.evictions,
        "longest wait": run.longest_wait,
        "longest gap": run.longest_gap,
    }


SAYS = {
    "steps": "it takes {got:.0f} steps; the plain policy takes {plain:.0f}, and {most:.0f} are "
    "allowed. Who could begin earlier?",
    "evictions": "{got:.0f} times a request is evicted and read again; with the plain policy "
    "{plain:.0f} times, and {most:.0f} are allowed. Who began when the cache was nearly full?",
    "longest wait": "a request waits {got:.0f} steps for its first token; with the plain policy "
    "{plain:.0f}, and {most:.0f} are allowed. Who passes it?",
    "longest gap": "a request waits {got:.0f} steps between two of its tokens; with the plain "
    "policy {plain:.0f}, and {most:.0f} are allowed. Who passes those that were evicted?",
}


def check_found(found):
    """(code, sentence) for the first load on which the policy is refused or too far off, else None."""
    for (name, requests, server), answers, plain in zip(
        LOADS, found["answers"], PLAIN, strict=True
    ):
        where = f"`admit` for “{name}” ({len(requests)} requests)"
        try:
            run = replay(serve, answers, requests, server)
        except Refused as refused:
            return "wrong-values", f"{where}, {refused}"
        usual = figures_of(plain)
        got, most = figures_of(run), most_of(plain)
        for what, says in SAYS.items():
            if got[what] > most[what]:
                told = says.format(got=got[what], plain=usual[what], most=int(most[what]))
                return "wrong-values", f"{where}: {told}"
    return None


def figures(found):
    """Steps and evictions of all loads, and the longest waits, beside those of the plain policy."""
    runs = [
        replay(serve, answers, requests, server)
        for (_, requests, server), answers in zip(LOADS, found["answers"], strict=True)
    ]
    out = {}
    for what in SAYS:
        join = sum if what in ("steps", "evictions") else max
        got = join(figures_of(run)[what] for run in runs)
        usual = join(figures_of(run)[what] for run in PLAIN)
        out[what] = f"{got:.0f} (plain policy: {usual:.0f})"
    return out


def chart(found):
    """Draw what the policy does with ten requests that come at once."""
    name, requests, server = LOADS[CHARTED]
    try:
        run = replay(serve, found["answers"][CHARTED], requests, server)
    except Refused:
        return None
    return f"“{name}”, by your policy", "steps", run.spans


def fixed(*rows):
    """A case of rows (arrival, times)."""
    return lambda g: (
        torch.tensor([at for at, _ in rows], dtype=torch.float64),
        [list(times) for _, times in rows],
    )


def random_times(count, most, start=0):
    """`count` requests with 1 to `most` tokens; times in quarters, so that sums are exact."""

    def make(g):
        arrivals, times = [], []
        for _ in range(count):
            at = start + int(torch.randint(0, 100, (), generator=g)) / 4
            tokens = int(torch.randint(1, most + 1, (), generator=g))
            steps = torch.randint(1, 12, (tokens,), generator=g).cumsum(0)
            arrivals.append(at)
            times.append([at + step / 4 for step in steps.tolist()])
        return torch.tensor(arrivals, dtype=torch.float64), times

    return make


def every_second(g):
    """A view: the arrivals lie in every second place of a longer tensor."""
    arrivals, times = random_times(5, 6)(g)
    return arrivals.repeat_interleave(2)[::2], times


CASES = (
    Case("one token each", fixed((0.0, [1.0]), (4.0, [9.5]))),
    Case("equal gaps", fixed((2.0, [5.0, 6.0, 7.0, 8.0]))),
    Case("one long gap", fixed((0.0, [2.0, 3.0, 11.0, 12.0]), (1.0, [2.0, 4.0]))),
    Case("a wait longer than any gap", fixed((1.0, [40.0, 41.0, 43.0]))),
    Case("drawn", random_times(12, 9)),
    Case("drawn, late arrivals", random_times(7, 5, start=5000)),
    Case("arrivals as a view", every_second),
)
