import re

import torch
from torch import Tensor

Step = tuple[list[str], list[str]]


def parse(program: str) -> tuple[dict[str, tuple[int, str]], list[Step], list[tuple[int, int]]]:
    """{name: (bytes, kind)}, [(reads, writes), …], [(first, last step), …]."""
    tensors, steps, loops, open_loops = {}, [], [], []
    for line in filter(None, map(str.strip, program.splitlines())):
        if line == "loop":
            open_loops.append(len(steps))
        elif line == "end":
            loops.append((open_loops.pop(), len(steps) - 1))
        elif "->" in line:
            reads, writes = line.partition("(")[2].split("->")
            steps.append((re.findall(r"\w+", reads), re.findall(r"\w+", writes)))
        else:
            name, size, *kind = line.replace(":", " ").split()
            tensors[name] = int(size), "".join(kind)
    return tensors, steps, loops


def lifetimes(program: str) -> Tensor:
    tensors, steps, loops = parse(program)
    outputs = {name for name, (_, kind) in tensors.items() if kind == "output"}
    needed = [set() for _ in steps] + [outputs]
    behind = [set() for _ in steps]
    before = None
    while needed != before:
        before = [set(each) for each in needed]
        for i in reversed(range(len(steps))):
            reads, writes = steps[i]
            behind[i] = needed[i + 1].union(*(needed[first] for first, last in loops if last == i))
            needed[i] = behind[i].difference(writes).union(reads)
    rows = []
    for name, (size, kind) in tensors.items():
        alive = [
            i
            for i, (reads, writes) in enumerate(steps)
            if name in reads or name in writes or (name in needed[i] and name in behind[i])
        ]
        if kind != "weight":
            rows.append([size, 0 if kind == "input" else alive[0], alive[-1]])
            if kind == "output":
                rows[-1][2] = len(steps) - 1
    return torch.tensor(rows)
