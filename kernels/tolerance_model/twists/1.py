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


def linear(to, a, w):
    """Multiply by a matrix."""
    (value, off, _), (w, _, _) = a, w
    carried = (off.square() @ w.square()).sqrt()
    return value @ w, joined(carried, len(w) ** 0.5 * unit(to) * (value.abs() @ w.abs()))


def add(to, a, b):
    """Add."""
    made = a[0] + b[0]
    return made, joined(a[1], b[1], unit(to) * made)


def mul(to, a, b):
    """Multiply."""
    made = a[0] * b[0]
    return made, joined(a[1] * b[0], b[1] * a[0], unit(to) * made)


def exp(to, a):
    """Take the exponential, which is its own slope."""
    made = a[0].exp()
    return made, joined(made * a[1], unit(to) * made)


def relu(to, a):
    """Cut off what lies below zero; of the tolerance there remains what reaches above it."""
    value, off, _ = a
    return value.relu(), (off + value.clamp(max=0)).relu()


def cast(to, a):
    """Round, unless the dtype is as fine as before."""
    coarser = len({unit(a[2]), max(unit(a[2]), unit(to))}) - 1
    return a[0], joined(a[1], coarser * unit(to) * a[0])


RULES = {"linear": linear, "add": add, "mul": mul, "exp": exp, "relu": relu, "cast": cast}


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
        given = [known[each] for each in operands]
        to = getattr(torch, dtype) if dtype else given[0][2]
        known[name] = *RULES[operation](to, *given), to
    return known[result][1]
