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


def slopes(operation, values):
    """Return what an elementwise operation makes, and its slope for each operand."""
    if operation == "exp":
        return values[0].exp(), [values[0].exp()]
    if operation == "add":
        return values[0] + values[1], [torch.ones_like(values[0])] * 2
    if operation == "mul":
        return values[0] * values[1], values[::-1]
    return values[0], [torch.ones_like(values[0])]  # a cast


def tolerance_model(
    program: str, x: torch.Tensor, w0: torch.Tensor, w1: torch.Tensor
) -> torch.Tensor:
    """The tolerance of each element of the result, float64."""
    steps, result = parse(program)
    known = {
        n: (t.double(), 0 * t.double(), torch.float32)
        for n, t in zip(("x", "w0", "w1"), (x, w0, w1), strict=True)
    }
    for name, operation, operands, dtype in steps:
        values = [known[each][0] for each in operands]
        offs = [known[each][1] for each in operands]
        before = known[operands[0]][2]
        after = before if operation == "relu" else getattr(torch, dtype)
        if operation == "relu":
            v, t = values[0], offs[0]
            known[name] = (
                v.relu(),
                torch.maximum(torch.minimum(v, v.new_zeros(())) + t, 0 * t),
                after,
            )
        elif operation == "linear":
            v, w = values
            variance = (
                offs[0] ** 2 @ w**2 + v.shape[-1] * unit(after) ** 2 * (v.abs() @ w.abs()) ** 2
            )
            known[name] = v @ w, variance**0.5, after
        else:
            made, slope = slopes(operation, values)
            variance = sum((s * t) ** 2 for s, t in zip(slope, offs, strict=True))
            if operation != "cast" or unit(after) > unit(before):
                variance = variance + (unit(after) * made) ** 2
            known[name] = made, variance**0.5, after
    return known[result][1]
