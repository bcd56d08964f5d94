import re
from math import sqrt

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
    exact = {"x": x.double(), "w0": w0.double(), "w1": w1.double()}
    off = {name: torch.zeros_like(value) for name, value in exact.items()}
    kinds = dict.fromkeys(exact, torch.float32)
    for name, operation, (first, *more), dtype in steps:
        v, t = exact[first], off[first]
        kinds[name] = getattr(torch, dtype or "float32") if operation != "relu" else kinds[first]
        u = unit(kinds[name])
        if operation == "relu":
            exact[name] = torch.where(v > 0, v, 0.0)
            off[name] = torch.where(v >= 0, t, torch.where(v + t > 0, v + t, 0.0))
            continue
        if operation == "cast":
            exact[name] = v
            own = u * v if u > unit(kinds[first]) else torch.zeros_like(v)
            off[name] = torch.hypot(t, own)
            continue
        if operation == "linear":
            w = exact[more[0]]
            exact[name] = torch.matmul(v, w)
            # Row by row: the errors of a row of v meet each column of w.
            carried = torch.stack([(row[:, None] * w).norm(dim=0) for row in t])
            own = sqrt(v.shape[1]) * u * (v.abs() @ w.abs())
            off[name] = torch.hypot(carried, own)
            continue
        if operation == "exp":
            exact[name], carried = v.exp(), v.exp() * t
        elif operation == "add":
            exact[name], carried = v + exact[more[0]], torch.hypot(t, off[more[0]])
        else:
            other = exact[more[0]]
            exact[name], carried = v * other, torch.hypot(t * other, off[more[0]] * v)
        off[name] = torch.hypot(carried, u * exact[name])
    return off[result]
