import re

import torch


def lines(program: str) -> list[tuple[str, str, list[str], int | None]]:
    """(name, operator, arguments, size or None) of each line before `return`."""
    found = re.findall(r"^(\w+) = (\w+)\((.*?)\)(?:: (\d+))?", program, re.MULTILINE)
    return [(n, op, re.findall(r"\w+", a), int(s) if s else None) for n, op, a, s in found]


def returned(program: str) -> list[str]:
    """The names after `return`."""
    return re.findall(r"\w+", program.rpartition("return")[2])


def peak_memory(program):
    rows = lines(program)
    storage, size_of, meaning, uses = {}, {}, {}, []
    for i, (name, operator, arguments, size) in enumerate(rows):
        used = {meaning[a] for a in arguments}
        if size is None:
            meaning[name] = meaning[arguments[0]]
        else:
            meaning[name] = i
            size_of[i] = size
            storage[i] = operator == "input"
        uses.append(used | {meaning[name]})
    inputs = {i for i, given in storage.items() if given}
    alive = inputs | {meaning[n] for n in returned(program)}
    end = sum(size_of[i] for i in alive)
    peak = 0
    for i in range(len(rows) - 1, -1, -1):
        alive = alive | uses[i]
        peak = max(peak, sum(size_of[s] for s in alive))
        if i not in inputs:
            alive = alive - {i}
    return torch.tensor([peak, end])
