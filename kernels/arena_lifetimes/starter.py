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
    for name in tensors:
        size, kind = tensors[name]
        # Not every kind lies in the arena. Find the
        # steps that touch it, then look at the loops.
        rows.append([size, 0, len(steps) - 1])
    return torch.tensor(rows)
