"""Programs drawn for passes over xDSL, Relax and ONNX: one operation a line, each of two earlier values.

An exercise's `reference.py` draws its cases with these; those of FX are in `fx_graphs`. No compiler is
imported: a program is a text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch

from tutor.judge.cases.fx_graphs import draw

INTEGERS = ("addi", "subi", "muli", "andi", "xori", "divsi")  # of MLIR's dialect arith
CONSTANTS = (0, 1, 2, -1, 8, 4, 3, 7)
RELAX = ("R.add({a}, {b})", "R.multiply({a}, {b})", "R.subtract({a}, {b})", "R.nn.relu({a})")
ONNX = ("Add ({a}, {b})", "Mul ({a}, {b})", "Sub ({a}, {b})", "Relu ({a})", "Identity ({a})")

Make = Callable[[torch.Generator], tuple[str, torch.Tensor, torch.Tensor]]


def draw_arith(
    rows: int = 8, operations: Sequence[str] = INTEGERS, constants: Sequence[int] = CONSTANTS
) -> Make:
    """Return the `make` of a case: a function of two `i32` in the dialect arith, and eight calls of it.

    A division is by a constant, which is never 0.
    """

    def make(g: torch.Generator) -> tuple[str, torch.Tensor, torch.Tensor]:
        names, lines = ["%x", "%y"], []
        for row in range(rows):
            which = draw(g, 0, len(operations) + 1)
            number = constants[draw(g, 0, len(constants))]
            near = [*names[:2], *names[-3:]]  # few, so that most of what is computed is read
            a, b = (near[draw(g, 0, len(near))] for _ in "ab")
            if which == len(operations):
                lines.append(f"%v{row} = arith.constant {number} : i32")
            elif (name := operations[which]).startswith("div"):
                lines.append(f"%k{row} = arith.constant {number or 1} : i32")
                lines.append(f"%v{row} = arith.{name} {a}, %k{row} : i32")
            else:
                lines.append(f"%v{row} = arith.{name} {a}, {b} : i32")
            names.append(f"%v{row}")
        x, y = (torch.randint(-99, 100, (8,), generator=g, device=g.device) for _ in "xy")
        return arith(lines, names[-1]), x, y

    return make


def arith(lines: Sequence[str], returned: str) -> str:
    """Return the text of a module whose function `f` has two `i32` and these lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return (
        "builtin.module {\n  func.func @f(%x: i32, %y: i32) -> i32 {\n"
        f"{body}    func.return {returned} : i32\n  }}\n}}\n"
    )


def draw_relax(rows: int = 6, forms: Sequence[str] = RELAX, dtype: str = "float32") -> Make:
    """Return the `make` of a case: a Relax function of two tensors, and the tensors."""
    return _drawn(rows, forms, partial(relax, dtype=dtype), dtype)


def relax(lines: Sequence[str], returned: str, dtype: str = "float32") -> str:
    """Return the text of an `IRModule` whose `main` has two tensors [2, 3] and these lines."""
    kind = f'R.Tensor((2, 3), "{dtype}")'
    body = "".join(f"            {line}\n" for line in lines)
    return (
        f"@I.ir_module\nclass Module:\n    @R.function\n    def main(x: {kind}, y: {kind}) -> {kind}:\n"
        f"        with R.dataflow():\n{body}            out = {returned}\n"
        "            R.output(out)\n        return out\n"
    )


def draw_onnx(rows: int = 6, forms: Sequence[str] = ONNX) -> Make:
    """Return the `make` of a case: an ONNX model with two inputs, and these."""
    return _drawn(rows, forms, onnx)


def onnx(lines: Sequence[str], returned: str) -> str:
    """Return the text of a model of opset 20 with two `float` inputs [2, 3] and these nodes."""
    body = "".join(f"   {line}\n" for line in lines)
    return (
        '<ir_version: 10, opset_import: ["" : 20]>\n'
        "g (float[2,3] x, float[2,3] y) => (float[2,3] out) {\n"
        f"{body}   out = Identity ({returned})\n}}\n"
    )


def draw_numbers(g: torch.Generator, dtype: str = "float32") -> torch.Tensor:
    """Return a tensor [2, 3]: normal numbers, or whole ones from -9 to 9 for a dtype of integers."""
    kind = getattr(torch, dtype)
    if kind.is_floating_point:
        return torch.randn(2, 3, generator=g, device=g.device).to(kind)
    return torch.randint(-9, 10, (2, 3), generator=g, device=g.device, dtype=kind)


def _drawn(
    rows: int,
    forms: Sequence[str],
    write: Callable[[Sequence[str], str], str],
    dtype: str = "float32",
) -> Make:
    def make(g: torch.Generator) -> tuple[str, torch.Tensor, torch.Tensor]:
        names, lines = ["x", "y"], []
        for row in range(rows):
            near = [*names[:2], *names[-3:]]  # few, so that most of what is computed is read
            a, b = (near[draw(g, 0, len(near))] for _ in "ab")
            lines.append(f"v{row} = {forms[draw(g, 0, len(forms))].format(a=a, b=b)}")
            names.append(f"v{row}")
        x, y = (draw_numbers(g, dtype) for _ in "xy")
        return write(lines, names[-1]), x, y

    return make
