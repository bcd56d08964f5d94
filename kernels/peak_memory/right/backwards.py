"""One walk backwards: a storage comes alive at its last use and ends where it is made."""

import re

import torch


def peak_memory(program):
    body, _, tail = program.rpartition("return")
    rows, root, sizes, inputs = [], {}, {}, set()
    for i, found in enumerate(re.finditer(r"^(\w+) = (\w+)\((.*?)\)(: \d+)?", body, re.MULTILINE)):
        name, operator, inside, size = found.groups()
        used = {root[a] for a in inside.replace(",", " ").split()}
        first = root[inside.split(",")[0].strip()] if inside.strip() else None
        if size:
            root[name], sizes[i] = i, int(size[2:])
        else:
            root[name] = first
        if operator == "input":
            inputs.add(i)
        rows.append((root[name] if size else None, used | {root[name]}))
    alive = inputs | {root[name] for name in re.findall(r"\w+", tail)}
    end = peak = sum(sizes[s] for s in alive)
    for made, used in reversed(rows):
        alive |= used
        peak = max(peak, sum(sizes[s] for s in alive))
        if made not in inputs:
            alive.discard(made)
    return torch.tensor([peak, end])
