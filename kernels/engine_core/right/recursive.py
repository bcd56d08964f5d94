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
    wanted = {one.name: min(k, one.most - len(one.text) - 1) for one in running}
    for one in running:
        more = (len(one.text) + wanted[one.name] - 1) // machine.size + 1 - len(one.table)
        one.table.extend(spare[:more])
        del spare[: max(0, more)]

    def propose(tails):
        """Return {name: drafts} with one draft more for all that want one, and so on."""
        those = [one for one in running if len(tails[one.name]) < wanted[one.name]]
        if not those:
            return tails
        rows = []
        for one in those:
            tokens = (one.text + tails[one.name])[one.drafted :]
            rows.append(Row(one.name, tokens, one.drafted, one.table))
            one.drafted += len(tokens)
        answers = machine.draft(rows)
        longer = {
            one.name: [*tails[one.name], said[-1]] for one, said in zip(those, answers, strict=True)
        }
        return propose(tails | longer)

    tails = propose({one.name: [] for one in running})
    answers = machine.target(
        [Row(o.name, o.text[o.read :] + tails[o.name], o.read, o.table) for o in running]
    )
    for one, said in zip(running, answers, strict=True):
        said = said[len(one.text) - one.read - 1 :]
        same = [a == b for a, b in zip(tails[one.name], said, strict=False)] + [False]
        new = said[: same.index(False) + 1]
        new = new[: new.index(END) + 1] if END in new else new
        one.text.extend(new)
        one.read = len(one.text) - 1
        one.drafted = min(one.drafted, one.read)
        keep = (one.read + machine.size - 1) // machine.size
        spare.extend(one.table[keep:])
        one.table = one.table[:keep]


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
