import random
from collections.abc import Callable

import torch

OPERATIONS = ("add", "sub", "mul", "div", "and", "xor", "shl", "shr")


class Undefined(Exception):
    """Says that a program's result is not defined for these inputs."""


def run(program: list[tuple], x: int, y: int) -> int:
    """Return the number that the program returns. Raises `Undefined`."""
    values = [x, y]
    for op, *inside in program:
        if op == "const":
            values.append(inside[0])
            continue
        a, b = values[inside[0]], values[inside[-1]]
        if op == "return":
            break
        if op == "div":
            if b == 0 or (a, b) == (-(2**31), -1):
                raise Undefined
            n = abs(a) // abs(b) if (a < 0) == (b < 0) else -(abs(a) // abs(b))
        elif op in ("shl", "shr"):
            n = a << (b & 31) if op == "shl" else a >> (b & 31)
        else:
            n = {"add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "xor": a ^ b}[op]
        values.append((n + 2**31) % 2**32 - 2**31)
    return a


def without(program: list[tuple], row: int) -> list[tuple]:
    """Leave out a row. Who read its value reads its first operand instead, or x for a constant."""
    op, first, *_ = program[row]
    first = 0 if op == "const" else first
    rows = []
    for op, *inside in program[:row] + program[row + 1 :]:
        if op != "const":
            inside = [first if at == row + 2 else at for at in inside]
            inside = [at - (at > row + 2) for at in inside]
        rows.append((op, *inside))
    return rows


def fuzz(change: Callable, seed: int) -> tuple[list[tuple], int, int] | None:
    """Return a program and inputs on which the pass is wrong, no row to spare; else None."""
    dice = random.Random(seed)
    for _ in range(1000):
        # A beginning. Which programs are never drawn?
        # What if a result is not defined?
        # What if the pass fails, or changes the list?
        program = [("const", dice.randint(1, 100))]
        for at in range(2):
            op = dice.choice(("add", "sub", "mul"))
            program.append((op, dice.randrange(at + 3), dice.randrange(at + 3)))
        program.append(("return", len(program) + 1))
        if run(change(program), 3, 7) != run(program, 3, 7):
            return program, 3, 7
    return None


def fuzz_a_pass(passes: list[str], seed: int) -> torch.Tensor:
    """1 for each pass of which something was found, else 0; int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        found.append(fuzz(names["change"], seed) is not None)
    return torch.tensor(found).long()
