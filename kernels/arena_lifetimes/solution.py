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
    """[bytes, first step, last step] of each tensor in the arena: int64."""
    tensors, steps, loops = parse(program)
    rows = []
    for name, (size, kind) in tensors.items():
        if kind == "weight":
            continue
        touched = [i for i, (reads, writes) in enumerate(steps) if name in reads + writes]
        # The caller writes an input before the first step, and reads an output after the last one.
        first = 0 if kind == "input" else touched[0]
        last = len(steps) - 1 if kind == "output" else touched[-1]
        for begin, end in loops:
            inside = [i for i in touched if begin <= i <= end]
            # The first step of a turn that touches it decides: if it reads, a turn needs what was there
            # before it, and the place must not be given away while there may be another turn.
            if inside and name in steps[inside[0]][0]:
                last = max(last, end)
        rows.append([size, first, last])
    return torch.tensor(rows)
