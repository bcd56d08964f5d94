from collections.abc import Callable

import torch
from torch import Tensor

from tutor.judge.cases.engine import HashPair, Machine, Request

Serve = Callable[[Machine, list[Request]], list[list[int]]]


def load(count: int) -> list[Request]:
    """Requests whose prompts and limits differ."""
    return [
        Request(f"r{i}", tuple(1 + (7 * i + j) % 49 for j in range(2 + i)), 6 + i)
        for i in range(count)
    ]


def accepts(serve: Serve) -> bool:
    """Return True if the build keeps everything that the task asks of one."""
    # A beginning: one request with plenty of room.
    # Who waits? When is no block free?
    requests = load(1)
    machine = Machine(HashPair(3), 100, 4, 4)
    texts = serve(machine, requests)
    return texts == [HashPair(3).write(each.prompt, each.limit) for each in requests]


def verdicts(builds: list[str]) -> Tensor:
    """1 for each build that is accepted, else 0, int64. Leave it as it is."""
    found = []
    for text in builds:
        names = {}
        exec(text, names)
        found.append(int(accepts(names["serve"])))
    return torch.tensor(found)
