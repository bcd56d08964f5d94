import re

import torch

EXPENSIVE = {"exponential", "log", "tanh", "sqrt", "atan2"}


def read(lines: list[str]) -> list[tuple[str, str, list[str]]]:
    """Return name, operation and operands of each line."""
    found = (re.fullmatch(r"(\w+) = (\w+)\((.*)\)", line) for line in lines)
    return [(m[1], m[2], m[3].split(", ")) for m in found if m]


def hlo_fusion_count(lines: list[str], results: list[str]) -> torch.Tensor:
    """Return the fusions, and the operations in them."""
    # Equal lines become one before anything is fused. The operands are renamed first,
    # so that lines that read equal lines are found equal too.
    program, first, same = [], {}, {}
    for name, operation, operands in read(lines):
        operands = [same.get(each, each) for each in operands]
        key = (operation, *operands)
        if key not in first:
            first[key] = name
            program.append((name, operation, operands))
        same[name] = first[key]
    results = {same[name] for name in results}
    # From the last line to the first: when a line is met, all of its readers are known.
    inside, needed = {}, {}
    for name, operation, operands in reversed(program):
        roots = needed.get(name, set()) | ({name} & results)
        if operation in EXPENSIVE and len(roots) > 1:
            # It is written. The others read it, so that what it needs is needed here alone.
            roots = {name}
        inside[name] = roots
        for each in operands:
            needed.setdefault(each, set()).update(roots)
    fusions = set().union(*inside.values())
    return torch.tensor([len(fusions), sum(map(len, inside.values()))])
