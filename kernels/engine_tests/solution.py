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
            24 - (3 * i) % 20,
        )
        for i in range(count)
    ]


def keeps(
    serve: Serve, requests: list[Request], blocks: int, size: int, places: int, **models: int
) -> bool:
    """Whether texts are those of the target alone, and requests begin as they should."""
    machine = Machine(HashPair(**models), blocks, size, places)
    texts = serve(machine, requests)
    right = [HashPair(**models).write(each.prompt, each.limit) for each in requests]
    if texts != right:
        return False
    begun: dict[str, int] = {}
    needed = sum(-(-(len(r.prompt) + r.limit - 1) // size) for r in requests)
    for number, call in enumerate(each for each in machine.calls if each.model == "target"):
        for name, *_ in call.rows:
            begun.setdefault(name, number)
        # With blocks for all, a free place is taken by the next call.
        waits = len(begun) < len(requests)
        if needed <= blocks and waits and len(call.rows) < places:
            return False
    order = [begun[each.name] for each in requests]
    return order == sorted(order)


def drafts_well(serve: Serve) -> bool:
    """Whether drafts that are always right make four tokens a call of the target."""
    pair = HashPair(8, ends=10**9, kept=100)
    machine = Machine(pair, 40, 4, 2)
    serve(machine, [Request("r0", (5, 6, 7), 60)])
    return sum(call.model == "target" for call in machine.calls) <= 16


def accepts(serve: Serve) -> bool:
    """Return True if the build keeps everything that the task asks of one."""
    try:
        return (
            keeps(serve, load(12), 200, 4, 4, key=1)
            # Texts that end early, and drafts that are mostly kept: END stands among them.
            and keeps(serve, load(12), 200, 4, 5, key=2, ends=4, kept=95)
            # No END, so limits decide; and little room, so requests lose their blocks.
            and keeps(serve, load(12), 9, 4, 6, key=3, ends=10**9)
            # Blocks of one token, and just as many as the largest request needs.
            and keeps(serve, load(12), 34, 1, 6, key=4, kept=50)
            and drafts_well(serve)
        )
    except Exception:
        return False  # a build that raises serves nobody


def verdicts(builds: list[str]) -> Tensor:
    """1 for each build that is accepted, else 0, int64. Leave it as it is."""
    found = []
    for text in builds:
        names = {}
        exec(text, names)
        found.append(int(accepts(names["serve"])))
    return torch.tensor(found)
