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


def joined(*parts: torch.Tensor) -> torch.Tensor:
    """Join errors that know nothing of each other: their squares add up."""
    return sum(part.square() for part in parts).sqrt()


def tolerance_model(
    program: str, x: torch.Tensor, w0: torch.Tensor, w1: torch.Tensor
) -> torch.Tensor:
    """The tolerance of each element of the result, float64."""
    steps, result = parse(program)
    known = {}
    for name, tensor in (("x", x), ("w0", w0), ("w1", w1)):
        exact = tensor.double()
        known[name] = exact, torch.zeros_like(exact), tensor.dtype
    for name, operation, operands, dtype in steps:
        value, off, has = known[operands[0]]
        to = getattr(torch, dtype) if dtype else has
        if operation == "linear":
            w = known[operands[1]][0]
            # What was wrong before is weighed like the values, and the sum itself rounds K times.
            # Its partial sums are as large as the terms allow, even where the result is near 0.
            carried = (off.square() @ w.square()).sqrt()
            own = len(w) ** 0.5 * unit(to) * (value.abs() @ w.abs())
            known[name] = value @ w, joined(carried, own), to
        elif operation == "relu":
            # Below zero only what reaches over zero is seen.
            known[name] = value.relu(), torch.where(value < 0, (value + off).relu(), off), has
        elif operation == "exp":
            made = value.exp()  # which is its own slope
            known[name] = made, joined(made * off, unit(to) * made), to
        elif operation == "cast":
            rounds = unit(to) if unit(to) > unit(has) else 0.0  # to a finer dtype nothing is lost
            known[name] = value, joined(off, rounds * value.abs()), to
        else:
            other, other_off, _ = known[operands[1]]
            if operation == "add":
                made, carried = value + other, joined(off, other_off)
            else:
                made, carried = value * other, joined(off * other, other_off * value)
            known[name] = made, joined(carried, unit(to) * made.abs()), to
    return known[result][1]
