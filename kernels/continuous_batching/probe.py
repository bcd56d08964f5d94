"""Asks the learner's `admit` about every load. Its answers are all that leaves the process;
reference.py carries them out again."""

import random

from tutor.judge.cases.serving import Request, Server, decisions, serve


def drawn(seed, count, span, prompts, outputs, large=(0, 0)):
    """Return `count` requests that arrive within `span` steps. `large`: one of so many has a prompt of
    so many tokens."""
    dice = random.Random(seed)
    arrivals = sorted(dice.randint(0, span) for _ in range(count))
    requests = []
    for number, at in enumerate(arrivals):
        prompt = dice.randint(*prompts)
        if large[0] and number % large[0] == large[0] - 1:
            prompt = large[1]
        requests.append(Request(f"r{number}", float(at), prompt, dice.randint(*outputs)))
    return requests


LOADS = (
    (
        "ten at once",
        drawn(11, 10, 0, (4, 20), (4, 16)),
        Server(budget=40, blocks=20, block=4, places=6),
    ),
    (
        "a burst",
        drawn(1, 24, 0, (1, 20), (1, 24)),
        Server(budget=64, blocks=40, block=4, places=12),
    ),
    (
        "short answers",
        drawn(10, 80, 10, (1, 6), (1, 3)),
        Server(budget=48, blocks=64, block=16, places=24),
    ),
    (
        "a small cache",
        drawn(4, 40, 100, (1, 20), (4, 28)),
        Server(budget=50, blocks=20, block=4, places=16),
    ),
    (
        "few places",
        drawn(6, 120, 210, (1, 12), (1, 12)),
        Server(budget=200, blocks=200, block=8, places=4),
    ),
    (
        "a small budget",
        drawn(7, 90, 90, (6, 24), (2, 8)),
        Server(budget=30, blocks=800, block=1, places=64),
    ),
    (
        "large prompts among small ones",
        drawn(3, 120, 130, (1, 8), (2, 14), large=(12, 60)),
        Server(budget=90, blocks=35, block=3, places=16),
    ),
    (
        "time to spare",
        drawn(8, 12, 400, (1, 20), (1, 12)),
        Server(budget=40, blocks=10, block=8, places=4),
    ),
    (
        "a long stream",
        drawn(5, 100, 420, (4, 20), (4, 24)),
        Server(budget=64, blocks=36, block=4, places=16),
    ),
)


def probe(module, device):
    return {
        "answers": [
            decisions(serve, module.admit, requests, server) for _, requests, server in LOADS
        ]
    }
