import re

import torch


def parse(program: str) -> tuple[list[tuple[str, str, list[str], str]], str]:
    """Return steps (name, operation, operands, dtype or "") and the name of the result."""
    steps = []
    for line in program.splitlines():
        if found := re.fullmatch(r"\s*(\w+) = (\w+)\(([^)]*)\)(?: : (\w+))?\s*", line):
            name, operation, operands, dtype = found.groups()
            steps.append((name, operation, re.findall(r"\w+", operands), dtype or ""))
    return steps, program.split()[-1]


def unit(dtype: torch.dtype) -> float:
    """Return the most that one rounding costs, as a part of the number."""
    return torch.finfo(dtype).eps / 2


def tolerance_model(
    program: str, x: torch.Tensor, w0: torch.Tensor, w1: torch.Tensor
) -> torch.Tensor:
    """The tolerance of each element of the result, float64."""
    steps, result = parse(program)
    # For each name: exact value, tolerance and dtype.
    # What is missing below?
    known = {}
    for name, tensor in (("x", x), ("w0", w0), ("w1", w1)):
        exact = tensor.double()
        known[name] = exact, torch.zeros_like(exact), tensor.dtype
    for name, operation, operands, dtype in steps:
        value, off, has = known[operands[0]]
        if operation == "linear":
            w = known[operands[1]][0]
            has = getattr(torch, dtype)
            known[name] = value @ w, unit(has) * (value @ w).abs(), has
        elif operation == "relu":
            known[name] = value.relu(), off, has
        else:
            known[name] = value, off, has
    return known[result][1]
