from dataclasses import dataclass, field

import torch
from torch import Tensor

from tutor.judge.cases.engine import END, HashPair, Machine


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
    size = machine.size
    guesses = {one.name: [] for one in running}

    def room(one):
        return min(k, one.most - len(one.text) - 1)

    for one in running:
        while len(one.table) * size < len(one.text) + room(one):
            one.table.append(spare.pop(0))
    while True:
        asked = [one for one in running if len(guesses[one.name]) < room(one)]
        if not asked:
            break
        rows = []
        for one in asked:
            tokens = [*one.text, *guesses[one.name]][one.drafted :]
            rows.append((one.name, tokens, one.drafted, one.table))
            one.drafted += len(tokens)
        for one, said in zip(asked, machine.draft(rows), strict=True):
            guesses[one.name].append(said[-1])
    rows = [(o.name, o.text[o.read :] + guesses[o.name], o.read, o.table) for o in running]
    for one, said in zip(running, machine.target(rows), strict=True):
        before = len(one.text)
        for guess, token in zip(
            [*guesses[one.name], None], said[before - 1 - one.read :], strict=True
        ):
            one.text.append(token)
            if token != guess or token == END:
                break
        one.read = len(one.text) - 1
        one.drafted = min(one.drafted, one.read)
        while (len(one.table) - 1) * size >= one.read:
            spare.append(one.table.pop())


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
