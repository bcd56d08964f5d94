"""Storages are objects that count the reads to come; the walk frees one whose count is zero."""

import re
from dataclasses import dataclass

import torch


@dataclass(eq=False)
class Storage:
    size: int
    reads: int = 0


def peak_memory(program):
    *body, last = program.strip().splitlines()
    names, steps, alive, peak = {}, [], 0, 0
    for line in body:
        match = re.match(r"(\w+) = (\w+)\((.*?)\)(?:: (\d+))?", line)
        if not match:
            continue
        name, operator, inside, size = match.groups()
        read = [names[argument] for argument in re.findall(r"\w+", inside)]
        new = Storage(int(size)) if size else None
        names[name] = new or read[0]
        if operator == "input":
            new.reads += 1  # the caller's
            alive += new.size
            new = None
        touched = [*read, names[name]]
        for storage in touched:
            storage.reads += 1
        steps.append((new, touched))
    for name in re.findall(r"\w+", last)[1:]:
        names[name].reads += 1
    for new, touched in steps:
        alive += new.size if new else 0
        peak = max(peak, alive)
        for storage in touched:
            storage.reads -= 1
            alive -= 0 if storage.reads else storage.size
    return torch.tensor([peak, alive], dtype=torch.int64)
