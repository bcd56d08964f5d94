# expect: wrong-values
"""The sizes are kept by name, so a name that is bound again takes its old storage along."""

import re

import torch


def lines(program: str) -> list[tuple[str, str, list[str], int | None]]:
    """(name, operator, arguments, size or None) of each line before `return`."""
    found = re.findall(r"^(\w+) = (\w+)\((.*?)\)(?:: (\d+))?", program, re.MULTILINE)
    return [(n, op, re.findall(r"\w+", a), int(s) if s else None) for n, op, a, s in found]


def returned(program: str) -> list[str]:
    """The names after `return`."""
    return re.findall(r"\w+", program.rpartition("return")[2])


def peak_memory(program: str) -> torch.Tensor:
    rows = lines(program)
    alive = {name: size for name, operator, _, size in rows if operator == "input"}
    owner = {name: name for name in alive}
    kept, peak = {*alive, *returned(program)}, sum(alive.values())
    for at, (name, operator, arguments, size) in enumerate(rows):
        if operator == "input":
            continue
        owner[name] = name if size else owner[arguments[0]]
        if size:
            alive[name] = size
        peak = max(peak, sum(alive.values()))
        read = kept.union(*(later[2] for later in rows[at + 1 :]))
        needed = {owner[each] for each in read if each in owner}
        alive = {each: size for each, size in alive.items() if each in needed}
    return torch.tensor([peak, sum(alive.values())])
