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


def blocks_for(tokens: int, size: int) -> int:
    return (tokens + size - 1) // size


def draft(machine: Machine, ones: list[Running], tails: list[list[int]]) -> None:
    """Add a draft to each tail."""
    texts = [one.text + tail for one, tail in zip(ones, tails, strict=True)]
    rows = [
        Row(one.name, text[one.drafted :], one.drafted, one.table)
        for one, text in zip(ones, texts, strict=True)
    ]
    for one, text, tail, said in zip(ones, texts, tails, machine.draft(rows), strict=True):
        tail.append(said[-1])
        one.drafted = len(text)


def step(machine: Machine, running: list[Running], spare: list[int], k: int) -> None:
    """Write tokens of all that run: draft up to k for each, and ask the target once."""
    tails: list[list[int]] = [[] for _ in running]
    left = [one.most - len(one.text) for one in running]
    for one, rest in zip(running, left, strict=True):
        tokens = len(one.text) + min(k, rest - 1)
        for _ in range(len(one.table), blocks_for(tokens, machine.size)):
            one.table.append(spare.pop())
    for turn in range(1, k + 1):
        some = [i for i, rest in enumerate(left) if rest > turn]
        if some:
            draft(machine, [running[i] for i in some], [tails[i] for i in some])
    rows = [
        Row(one.name, one.text[one.read :] + tail, one.read, one.table)
        for one, tail in zip(running, tails, strict=True)
    ]
    for one, tail, said in zip(running, tails, machine.target(rows), strict=True):
        behind = said[-len(tail) - 1 :]
        one.text.append(behind[0])
        for guess, here, after in zip(tail, behind, behind[1:], strict=False):
            if guess != here or here == END:
                break
            one.text.append(after)
        one.read = len(one.text) - 1
        one.drafted = min(one.drafted, one.read)
        spare += one.table[blocks_for(one.read, machine.size) :]
        del one.table[blocks_for(one.read, machine.size) :]


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
