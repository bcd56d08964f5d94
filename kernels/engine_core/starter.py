from dataclasses import dataclass, field

import torch
from torch import Tensor

from tutor.judge.cases.engine import END, HashPair, Machine, Row


@dataclass
class Running:
    """A request that runs. `text` is its prompt and what was written."""

    name: str
    text: list[int]
    most: int  # tokens of the text at which its limit is reached
    table: list[int] = field(default_factory=list)
    read: int = 0  # tokens that the target has read and that stay
    drafted: int = 0  # tokens that the draft model has read and that stay


def step(machine: Machine, running: list[Running], spare: list[int], k: int) -> None:
    """Write tokens of all that run: draft up to k for each, and ask the target once."""
    # As it stands, one token each. Draft k for each,
    # let the target look at all in the same call, and
    # take back what belongs to refused drafts.
    for one in running:
        need = -(-len(one.text) // machine.size)
        one.table += [spare.pop() for _ in range(need - len(one.table))]
    rows = [Row(one.name, one.text[one.read :], one.read, one.table) for one in running]
    for one, said in zip(running, machine.target(rows), strict=True):
        one.read = len(one.text)
        one.text.append(said[-1])


def steps(
    prompts: list[list[int]],
    limits: list[int],
    pair: list[int],
    blocks: int,
    size: int,
    k: int,
    count: int,
) -> Tensor:
    """Let requests run for `count` steps, and write down what each did. Leave it as it is."""
    key, ends, kept = pair
    machine = Machine(HashPair(key, ends=ends, kept=kept), blocks, size, len(prompts))
    every = [
        Running(f"r{i}", list(prompt), len(prompt) + limit)
        for i, (prompt, limit) in enumerate(zip(prompts, limits, strict=True))
    ]
    spare, running = list(range(blocks)), list(every)
    out = torch.full((count, len(every) + 1, max(k + 3, 6)), -1)
    for now in range(count):
        before, asked = [len(one.text) for one in every], len(machine.calls)
        step(machine, running, spare, k)
        for row, one, old in zip(out[now], every, before, strict=False):
            new = one.text[old:][: k + 2]
            row[: len(new)] = torch.tensor(new, dtype=torch.int64)
            row[-1] = len(one.table)
        for at, model in enumerate(("target", "draft")):
            calls = [call for call in machine.calls[asked:] if call.model == model]
            out[now, -1, at] = len(calls)
            out[now, -1, 2 + at] = sum(new for call in calls for _, _, new, _ in call.rows)
        held = sorted([*spare, *(block for one in every for block in one.table)])
        out[now, -1, 4:6] = torch.tensor([len(spare), int(held == list(range(blocks)))])
        for one in list(running):
            if len(one.text) >= one.most or END in one.text[before[every.index(one)] :]:
                running.remove(one)
                spare += one.table
                one.table = []
        if not running:
            break
    return out
