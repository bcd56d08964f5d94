import re

import torch

EXPENSIVE = {"exponential", "log", "tanh", "sqrt", "atan2"}


def read(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """Return name, operation and operands of each line."""
    found = (re.fullmatch(r"(\w+) = (\w+)\((.*)\)", line) for line in lines)
    return [(m[1], m[2], m[3].split(", ")) for m in found if m]


def hlo_fusion_count(lines: list[str], results: list[str]) -> torch.Tensor:
    """Return the fusions, and the operations in them."""
    program = read(lines)
    inside = {}  # of a name: the fusions that compute it
    for line in reversed(program):
        name, operation, operands = line
        # Each line is a fusion of its own so far.
        inside[name] = {name}
    fusions = set().union(*inside.values())
    return torch.tensor([len(fusions), sum(map(len, inside.values()))])
