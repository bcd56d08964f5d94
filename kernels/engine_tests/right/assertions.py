from collections.abc import Callable

import torch
from torch import Tensor

from tutor.judge.cases.engine import HashPair, Machine, Request

Serve = Callable[[Machine, list[Request]], list[list[int]]]


def load(count: int) -> list[Request]:
    """Requests whose prompts and limits differ; later ones are the shorter."""
    return [
        Request(
            f"r{i}",
            tuple(1 + (7 * i + j * j) % 49 for j in range(1 + (5 * i) % 12)),
            30 - (7 * i) % 28,
        )
        for i in range(count)
    ]


def judge(serve: Serve, machine: Machine, pair: HashPair, requests: list[Request]) -> None:
    """Raise AssertionError where a text or the order of requests is wrong."""
    texts = serve(machine, requests)
    assert len(texts) == len(requests)
    for text, request in zip(texts, requests, strict=True):
        assert list(text) == pair.write(request.prompt, request.limit), request.name
    seen: dict[str, int] = {}
    for call in machine.calls:
        for row in call.rows if call.model == "target" else ():
            seen.setdefault(row[0], machine.calls.index(call))
    assert list(seen) == sorted(seen, key=lambda name: (seen[name], int(name[1:])))
    begins = [seen[request.name] for request in requests]
    assert begins == sorted(begins)


def accepts(serve: Serve) -> bool:
    """Return True if the build keeps everything that the task asks of one."""
    try:
        for number, (blocks, size, places, ends, kept) in enumerate(
            (
                (300, 4, 16, 6, 80),
                (12, 4, 5, 10**7, 70),
                (44, 1, 4, 30, 50),
                (15, 3, 7, 3, 100),
            )
        ):
            pair = HashPair(number, ends=ends, kept=kept)
            requests = load(11)
            judge(serve, Machine(pair, blocks, size, places), pair, requests)
        many = [Request(f"r{i}", (i + 1,), 4 + 12 * (i % 3)) for i in range(9)]
        machine = Machine(HashPair(5, ends=10**7), 100, 4, 3)
        serve(machine, many)
        calls = [{row[0] for row in c.rows} for c in machine.calls if c.model == "target"]
        while calls and "r8" not in calls[0]:
            assert len(calls.pop(0)) == 3
        machine = Machine(HashPair(6, ends=10**7, kept=100), 100, 4, 3)
        serve(machine, [Request("x", (3, 3), 100)])
        assert sum(c.model == "target" for c in machine.calls) <= 26
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
