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


class Number:
    """A value, the square of its tolerance, and a dtype."""

    def __init__(self, value, square, dtype):
        self.value, self.square, self.dtype = value, square, dtype

    def rounded(self, dtype, times=1.0, size=None):
        """The same after a rounding of `size`, or of its own."""
        size = self.value if size is None else size
        return Number(self.value, self.square + times * (unit(dtype) * size) ** 2, dtype)


def step(operation, dtype, a, b=None):
    """Return what an operation makes of its operands."""
    match operation:
        case "linear":
            size = torch.einsum("ik,kj->ij", a.value.abs(), b.value.abs())
            made = Number(a.value @ b.value, a.square @ b.value**2, dtype)
            return made.rounded(dtype, b.value.shape[0], size)
        case "add":
            return Number(a.value + b.value, a.square + b.square, dtype).rounded(dtype)
        case "mul":
            square = a.square * b.value**2 + b.square * a.value**2
            return Number(a.value * b.value, square, dtype).rounded(dtype)
        case "exp":
            made = torch.exp(a.value)
            return Number(made, made**2 * a.square, dtype).rounded(dtype)
        case "relu":
            off = a.square.sqrt()
            reach = torch.minimum(off, (a.value + off).clamp(min=0))
            return Number(a.value.clamp(min=0), reach**2, a.dtype)
        case "cast":
            coarser = torch.finfo(dtype).eps > torch.finfo(a.dtype).eps
            return a.rounded(dtype) if coarser else Number(a.value, a.square, dtype)


def tolerance_model(
    program: str, x: torch.Tensor, w0: torch.Tensor, w1: torch.Tensor
) -> torch.Tensor:
    """The tolerance of each element of the result, float64."""
    steps, result = parse(program)
    numbers = {
        name: Number(t.double(), torch.zeros(t.shape, dtype=torch.float64), t.dtype)
        for name, t in {"x": x, "w0": w0, "w1": w1}.items()
    }
    for name, operation, operands, dtype in steps:
        to = getattr(torch, dtype, None) if dtype else None
        numbers[name] = step(operation, to, *(numbers[each] for each in operands))
    return numbers[result].square.sqrt()
