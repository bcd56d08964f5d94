"""Lets simulated servers run by the learner's `plan`. Plain values only leave the process."""

import itertools
import random

from tutor.judge.cases.serving import Request, Server, decisions, run_steps

SHOWN = "a document among chats"
LETTERS = "kwbtrmzqdhsp"


def ask(plan, before=0):
    """The policy of a server that asks `plan(waiting, running, budget)`, after so many steps of
    another policy."""
    steps = itertools.count()

    def policy(waiting, running, free, server):
        if next(steps) < before:
            return one_each(waiting, running, server.budget)
        return plan(waiting, running, server.budget)

    return policy


def one_each(waiting, running, budget):
    """A token for each that decodes, then one for each prompt: they are read side by side."""
    queue = sorted([*running, *waiting], key=lambda request: not request.written)
    return {request.name: 1 for request in queue[:budget]}


def server(budget):
    return Server(budget=budget, fixed=8.0, per_token=0.05)


def chats():
    """Five chats, a document of 2,000 tokens while they write, and two chats behind it."""
    rows = [
        ("w", 0, 40, 24),
        ("b", 3, 90, 20),
        ("t", 12, 60, 22),
        ("k", 20, 30, 18),
        ("r", 30, 120, 16),
    ]
    rows += [("document", 60, 2000, 6), ("m", 75, 50, 10), ("d", 110, 200, 8)]
    return tuple(Request(*row) for row in rows)


def at_once(dice, count, longest, output):
    """Requests that all arrive together, under names in no order."""
    names = dice.sample(LETTERS, count)
    return tuple(
        Request(name, 0, dice.randint(2, longest), dice.randint(1, output)) for name in names
    )


def spread(dice, count, longest, output, span):
    """Requests that arrive one after the other, some with long prompts."""
    names = dice.sample(LETTERS, count)
    times = sorted(dice.uniform(0, span) for _ in names)
    return tuple(
        Request(
            name, at, dice.choice((1, 2, dice.randint(3, 40), longest)), dice.randint(1, output)
        )
        for name, at in zip(names, times, strict=True)
    )


def runs():
    """Yield (name, requests, server, steps of another policy before)."""
    dice = random.Random(62)
    yield "one prompt", (Request("z", 0, 600, 3),), server(256), 0
    yield SHOWN, chats(), server(256), 0
    yield "all at once", at_once(dice, 12, 150, 8), server(64), 0
    yield "all at once, and a small budget", at_once(dice, 12, 6, 9), server(4), 0
    yield "all at once, and all fit", at_once(dice, 12, 9, 3), server(256), 0
    yield "prompts of one token", tuple(Request(n, 0, 1, 4) for n in "qdhs"), server(3), 0
    yield "a budget of one", (Request("s", 0, 3, 2), Request("h", 1, 2, 2)), server(1), 0
    large = [("h", 0, 50, 9), ("q", 5, 5000, 3), ("b", 6, 3000, 2), ("z", 6, 7, 2)]
    yield "a budget of 2,048", tuple(Request(*row) for row in large), server(2048), 0
    for number, budget in enumerate((5, 31, 100, 512)):
        requests = spread(dice, 10, 3 * budget, 12, 60 * number + 40)
        yield f"drawn, {number + 1}", requests, server(budget), 0
    lengths = zip("kwbtrmz", (1, 9, 5, 3, 4, 12, 30), (6, 3, 4, 2, 5, 3, 2), strict=True)
    half = tuple(Request(name, 0, prompt, output) for name, prompt, output in lengths)
    yield "prompts half read", (*half, Request("d", 30, 6, 2)), server(8), 2
    yield "prompts half read, drawn", at_once(dice, 12, 9, 6), server(16), 3


def probe(module, device):
    return {
        "answers": [
            decisions(run_steps, ask(module.plan, before), requests, server)
            for _, requests, server, before in runs()
        ]
    }
