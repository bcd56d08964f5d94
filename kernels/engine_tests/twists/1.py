import random
from collections.abc import Callable

import torch
from torch import Tensor

from tutor.judge.cases.engine import HashPair, Machine, Request

Serve = Callable[[Machine, list[Request]], list[list[int]]]


def target_calls(machine: Machine) -> list[list[str]]:
    """The names of the rows of each call of the target."""
    return [[row[0] for row in call.rows] for call in machine.calls if call.model == "target"]


def fault(serve: Serve, dice: random.Random, seed: int) -> str:
    """Say what a drawn load shows; "" for nothing."""
    size, places = dice.choice((1, 2, 3, 5, 8)), dice.randint(1, 6)
    requests = [
        Request(
            f"r{i}",
            tuple(dice.randint(1, 49) for _ in range(dice.randint(1, 20))),
            dice.randint(1, 30),
        )
        for i in range(dice.randint(2, 14))
    ]
    blocks = [-(-(len(r.prompt) + r.limit - 1) // size) for r in requests]
    have = dice.choice((max(blocks), max(blocks) + 2, sum(blocks)))
    models = {"ends": dice.choice((3, 20, 10**8)), "kept": dice.choice((40, 80, 100))}
    machine = Machine(HashPair(seed, **models), have, size, places)
    texts = serve(machine, requests)
    if texts != [HashPair(seed, **models).write(r.prompt, r.limit) for r in requests]:
        return "a text"
    seen: list[str] = []
    for names in target_calls(machine):
        seen += sorted({*names} - {*seen}, key=lambda name: int(name[1:]))
        if have == sum(blocks) and len(seen) < len(requests) and len(names) < places:
            return "a free place"
    return "" if seen == [r.name for r in requests] else "somebody was passed"


def accepts(serve: Serve) -> bool:
    """Return True if the build keeps everything that the task asks of one."""
    dice = random.Random(11)
    try:
        for seed in range(20):
            if fault(serve, dice, seed):
                return False
        for limit in (5, 40, 81):
            machine = Machine(HashPair(2, ends=10**8, kept=100), 40, 4, 2)
            serve(machine, [Request("r0", (9,), limit)])
            if len(target_calls(machine)) > -(-limit // 4) + 1:
                return False
    except Exception:
        return False
    return True


def verdicts(builds: list[str]) -> Tensor:
    """1 for each build that is accepted, else 0, int64. Leave it as it is."""
    found = []
    for text in builds:
        names = {}
        exec(text, names)
        found.append(int(accepts(names["serve"])))
    return torch.tensor(found)
