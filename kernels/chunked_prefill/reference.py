import runpy
from pathlib import Path

import torch

from tutor.judge.cases.serving import Refused, run_steps
from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
RUNS = list(PROBE["runs"]())
SHOWN = PROBE["SHOWN"]


def reference(prompt, decodes, budget):
    return read(prompt, decodes, budget)


eager = reference


def read(prompt, decodes, budget, slip=""):
    """The chunks of a prompt. The option names a mistake."""
    rooms = [budget if slip == "ignore" else budget - busy for busy in decodes.tolist()]
    if slip == "first":
        rooms = rooms[:1] * len(rooms)
    taken = []
    for room in rooms:
        if prompt <= 0:
            break
        chunk = room if slip == "cut" else min(prompt, room)
        taken.append(chunk)
        prompt -= chunk
    return torch.tensor(taken)


def slipped(slip):
    return lambda prompt, decodes, budget: read(prompt, decodes, budget, slip)


NEAR_MISSES = tuple(
    (says, slipped(slip))
    for slip, says in {
        "ignore": "the prompt has the whole budget in each step, as if nobody decoded",
        "first": "each step has the room of the first one",
        "cut": "the last step takes its whole room, and not what the prompt has left",
    }.items()
)


def work(prompt, decodes, budget):
    return Work(bytes=8 * decodes.numel() + 16, flops=0)


def scale(prompt, decodes, budget):
    return 0.0


class Replay:
    """A run by the learner's answers, and what stood before each of them. The first `before` answers
    are those of another policy."""

    def __init__(self, answers, requests, server, before):
        self.rest, self.log, self.refused, self.run = iter(answers), [], "", None
        self.before = before
        try:
            self.run = run_steps(self.policy, requests, server)
        except Refused as refused:
            self.refused = str(refused)

    def policy(self, waiting, running, free, server):
        got = next(self.rest, {})
        self.log.append((waiting, running, server.budget, got))
        return got

    def fault(self):
        """The first step that breaks a rule of the server or a sentence of the task, else ""."""
        for step, (waiting, running, budget, got) in enumerate(self.log):
            if self.refused and step == len(self.log) - 1:
                break
            if step >= self.before and (found := fault_of(waiting, running, budget, got)):
                return f"step {step}: {found}."
        return self.refused


def fault_of(waiting, running, budget, got):
    """Say what a step that the server can carry out does against the task, else ""."""
    for each in running:
        if each.written and each.name not in got:
            return f"{each.name} decodes and gets no token"
    behind = None
    for each in (*running, *waiting):
        tokens = got.get(each.name, 0)
        if each.written:
            continue
        if behind and tokens:
            name, left = behind
            return (
                f"{each.name} gets {words(tokens)}, and {name}, which is before it, keeps "
                f"{words(left)} to read"
            )
        if tokens < each.left and not behind:
            behind = each.name, each.left - tokens
    total = sum(got.values())
    if behind and total < budget:
        name, left = behind
        return f"it takes {total} of {budget} tokens, and {name} keeps {words(left)} to read"
    return ""


def words(tokens):
    return "1 token" if tokens == 1 else f"{tokens} tokens"


def replays(found):
    for (name, *run), answers in zip(RUNS, found["answers"], strict=True):
        yield name, Replay(answers, *run)


def check_found(found):
    """(code, sentence) for the first run that is not as asked, else None."""
    for name, replay in replays(found):
        if fault := replay.fault():
            return "wrong-values", f"In the run {name!r}, {fault}"
    return None


def figures(found):
    """Return what the shown run measures, beside whole prompts that stop all others."""
    ours = next(replay.run for name, replay in replays(found) if name == SHOWN)
    requests, server = next((r, s) for name, r, s, _ in RUNS if name == SHOWN)
    whole = run_steps(
        whole_prompts, requests, type(server)(budget=10_000, fixed=8.0, per_token=0.05)
    )
    both = [("yours", ours), ("whole prompts first", whole)]
    return {
        "longest gap, ms": "; ".join(f"{who} {run.longest_gap:.1f}" for who, run in both),
        "longest wait for a first token, ms": "; ".join(
            f"{who} {run.longest_wait:.1f}" for who, run in both
        ),
    }


def whole_prompts(waiting, running, free, server):
    return {waiting[0].name: waiting[0].left} if waiting else {each.name: 1 for each in running}


def chart(found):
    """The shown run, or the first that does not keep the task, where it came to its end."""
    kept = None
    for name, replay in replays(found):
        if replay.fault():
            kept = (name, replay.run) if replay.run else None
            break
        if name == SHOWN:
            kept = name, replay.run
    return (f"The run {kept[0]!r}", "ms", kept[1].spans) if kept else None


def suffices(prompt, decodes, budget):
    return sum(budget - busy for busy in decodes.tolist()) >= prompt


PROMISED = (
    (
        "Who decodes is at most `budget` requests",
        lambda prompt, decodes, budget: bool(((decodes >= 0) & (decodes <= budget)).all()),
    ),
    ("1 ≤ `prompt`", lambda prompt, decodes, budget: prompt >= 1),
    ("the steps of `decodes` suffice", suffices),
)


def draw(g, low, high):
    return int(torch.randint(low, high + 1, (1,), generator=g, device=g.device))


def fixed(prompt, decodes, budget):
    return lambda g: (prompt, torch.tensor(decodes, device=g.device), budget)


def drawn(low, high, full):
    """A prompt of several chunks; every `full`-th step or so has no room."""

    def make(g):
        budget = draw(g, low, high)
        prompt = draw(g, budget, 5 * budget)
        decodes, room = [], 0
        while room < prompt:
            busy = budget if draw(g, 1, full) == 1 else draw(g, 0, budget - 1)
            decodes.append(busy)
            room += budget - busy
        decodes += [draw(g, 0, budget - 1) for _ in range(draw(g, 1, 3))]
        return prompt, torch.tensor(decodes, device=g.device), budget

    return make


CASES = (
    Case("one step, nobody decodes", fixed(200, [0, 0], 256)),
    Case("the example", fixed(600, [6, 256, 6, 7, 7], 256)),
    Case("the last step just full", fixed(500, [6, 6, 6], 256)),
    Case("one token", fixed(1, [255, 3], 256)),
    Case("no room at first", fixed(9, [4, 4, 1, 0, 2], 4)),
    Case("a budget of one", fixed(2, [1, 0, 1, 0], 1)),
    Case("drawn, 1", drawn(16, 300, 4)),
    Case("drawn, 2", drawn(16, 300, 3)),
    Case("drawn, 3", drawn(4, 40, 5)),
)
