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

    def turned(begin: int, end: int, inside: list[tuple[int, int]]) -> list[int]:
        """The steps from begin to end, those of each loop twice."""
        order, at = [], begin
        while at <= end:
            own = [one for one in inside if one[0] == at]
            if own:
                loop = max(own, key=lambda one: (one[1], -inside.index(one)))
                body = turned(*loop, [one for one in inside if one is not loop])
                order += body * 2
                at = loop[1] + 1
            else:
                order.append(at)
                at += 1
        return order

    order = turned(0, len(steps) - 1, loops)
    rows = []
    for name, (size, kind) in tensors.items():
        if kind == "weight":
            continue
        marked, since = set(), 0 if kind == "input" else None
        for n, i in enumerate(order):
            reads, writes = steps[i]
            if name in reads:
                marked.update(order[since : n + 1])
            if name in writes:
                since = n
                marked.add(i)
        if kind == "output":
            marked.update(order[since:])
        rows.append([size, min(marked), max(marked)])
    return torch.tensor(rows)
