from collections.abc import Callable

import torch
from torch import Tensor

from tutor.judge.cases.engine import HashPair, Machine, Request

Serve = Callable[[Machine, list[Request]], list[list[int]]]


def made(lengths: list[int], limits: list[int], shift: int = 0) -> list[Request]:
    return [
        Request(f"r{i}", tuple((i * 11 + j * 3 + shift) % 49 + 1 for j in range(n)), limit)
        for i, (n, limit) in enumerate(zip(lengths, limits, strict=True))
    ]


MIXED = made([3, 8, 1, 12, 5, 4, 9, 2, 7, 16], [20, 3, 11, 1, 18, 7, 2, 15, 9, 4])
OTHERS = made([5, 1, 9, 4, 2, 8, 3, 3, 6, 4], [16, 9, 5, 12, 2, 14, 8, 3, 17, 6], 5)


def run(serve, requests, blocks, size, places, **models):
    """The texts, the right texts, and who was in each call of the target."""
    machine = Machine(HashPair(**models), blocks, size, places)
    got = serve(machine, requests)
    want = [HashPair(**models).write(each.prompt, each.limit) for each in requests]
    calls = [call for call in machine.calls if call.model == "target"]
    return got, want, [[name for name, *_ in call.rows] for call in calls]


def check_texts(serve):
    for key, ends, kept in ((1, 20, 75), (2, 4, 90), (3, 10**6, 60), (4, 3, 100)):
        got, want, _ = run(serve, MIXED, 100, 4, 5, key=key, ends=ends, kept=kept)
        if got != want:
            return False
    return True


def check_tight(serve):
    for size in (1, 2, 4, 7):
        blocks = max(-(-(len(r.prompt) + r.limit - 1) // size) for r in MIXED)
        for key in (5, 6):
            got, want, _ = run(serve, MIXED, blocks, size, 6, key=key, ends=50, kept=80)
            if got != want:
                return False
    return True


def check_order(serve):
    for blocks in (100, 9):
        _, _, calls = run(serve, MIXED, blocks, 4, 6, key=7)
        first = [next(i for i, names in enumerate(calls) if r.name in names) for r in MIXED]
        if first != sorted(first):
            return False
    return True


def check_places(serve):
    _, _, calls = run(serve, MIXED, 100, 4, 3, key=8, ends=10**6)
    last = next(i for i, names in enumerate(calls) if MIXED[-1].name in names)
    return all(len(names) == 3 for names in calls[:last])


def check_drafts(serve):
    _, _, calls = run(serve, made([4], [48]), 30, 4, 3, key=9, ends=10**6, kept=100)
    return len(calls) <= 13


def check_next_load(serve):
    got, want, _ = run(serve, OTHERS, 100, 4, 5, key=1)
    return got == want


def accepts(serve: Serve) -> bool:
    """Return True if the build keeps everything that the task asks of one."""
    checks = (check_texts, check_tight, check_order, check_places, check_drafts, check_next_load)
    try:
        return all(check(serve) for check in checks)
    except Exception:
        return False


def verdicts(builds: list[str]) -> Tensor:
    """1 for each build that is accepted, else 0, int64. Leave it as it is."""
    found = []
    for text in builds:
        names = {}
        exec(text, names)
        found.append(int(accepts(names["serve"])))
    return torch.tensor(found)
