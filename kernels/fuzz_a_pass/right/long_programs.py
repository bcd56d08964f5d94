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


SPECIAL = [0, -1, 5, 2**31 - 1, -(2**31), *(2**k for k in range(1, 31, 3)), 31, -6]


def verdict(change, program, x, y):
    """Ask the pass anew, on a copy."""
    try:
        before = run(program, x, y)
    except Undefined:
        return False
    try:
        return run(change(program[:]), x, y) != before
    except Exception:
        return True


def smaller(change, program, x, y):
    """The first smaller program on which the pass is wrong, rows from the last to the first."""
    for row in range(len(program) - 2, -1, -1):
        if verdict(change, less := without(program, row), x, y):
            return less
    return None


def fuzz(change: Callable, seed: int) -> tuple[list[tuple], int, int] | None:
    """Few calls of the pass, on programs of thirty rows; divisions are by constants that are not 0."""
    dice = random.Random(f"long {seed}")
    for _ in range(1200):
        rows = []
        while len(rows) < 30:
            place = len(rows) + 2
            near = [0, 1, *range(max(2, place - 6), place)]
            if dice.random() < 0.25:
                rows.append(("const", dice.choice(SPECIAL)))
                continue
            op = dice.choice(OPERATIONS)
            a, b = dice.choice(near), dice.choice(near)
            if op == "div" and dice.random() < 0.8:
                rows.append(("const", dice.choice([4, 7, 2, -3, 65536])))
                b = place
            rows.append((op, a, b))
        program = [*rows, ("return", dice.randrange(len(rows) - 8, len(rows) + 2))]
        for _ in range(2):
            x, y = (
                dice.choice([dice.randint(-9, 9), dice.randint(-(2**31), 2**31 - 1)]) for _ in "xy"
            )
            if verdict(change, program, x, y):
                while less := smaller(change, program, x, y):
                    program = less
                return program, x, y
    return None


def fuzz_a_pass(passes: list[str], seed: int) -> torch.Tensor:
    """1 for each pass of which something was found, else 0; int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        found.append(fuzz(names["change"], seed) is not None)
    return torch.tensor(found).long()
