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
    names = [name for name in tensors if tensors[name][1] != "weight"]
    reads = torch.tensor([[name in r for r, _ in steps] for name in names])
    writes = torch.tensor([[name in w for _, w in steps] for name in names])
    place = torch.arange(len(steps))
    touched = reads | writes
    first = torch.where(touched, place, len(steps)).amin(1)
    last = torch.where(touched, place, -1).amax(1)
    for begin, end in loops:
        part = slice(begin, end + 1)
        at = touched[:, part].int().argmax(1, keepdim=True)
        carried = reads[:, part].gather(1, at)[:, 0]
        last = torch.where(carried, last.clamp(min=end), last)
    for row, name in enumerate(names):
        if tensors[name][1] == "input":
            first[row] = 0
        if tensors[name][1] == "output":
            last[row] = len(steps) - 1
    return torch.stack([torch.tensor([tensors[name][0] for name in names]), first, last], 1)
