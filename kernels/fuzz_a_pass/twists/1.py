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


# Numbers at which arithmetic changes: signs, powers of two, the ends of 32 bits. A constant drawn from
# all 2**32 would hardly ever be a power of two, and no rule about those would be met.
NUMBERS = (0, 1, -1, 2, 3, 4, -7, 8, 31, 32, 100, -100, 65536, 2**30, 2**31 - 1, -(2**31))


def draw(dice: random.Random) -> list[tuple]:
    """Draw a program of one to sixteen rows; later values are read more often than early ones."""
    rows = []
    for _ in range(dice.randint(1, 16)):
        here = len(rows) + 2
        if dice.random() < 0.3:
            rows.append(("const", dice.choice(NUMBERS)))
        else:
            # Two equal operands must be possible: rules about a - a and a / a need them.
            a, b = (max(dice.randrange(here), dice.randrange(here)) for _ in "ab")
            rows.append((dice.choice(OPERATIONS), a, b))
    return [*rows, ("return", len(rows) + 1)]


def changed(change: Callable, program: list[tuple]) -> list[tuple] | None:
    """Return what the pass makes of a copy, as it may change its argument; None where it fails."""
    try:
        return change(list(program))
    except Exception:
        return None


def differs(program: list[tuple], other: list[tuple] | None, x: int, y: int) -> bool:
    """Say if the other program does something else where the first one is defined."""
    try:
        want = run(program, x, y)
    except Undefined:
        return False  # the pass may do as it likes
    try:
        return other is None or run(other, x, y) != want
    except Undefined:
        return True  # what was defined is no longer


def halved(change: Callable, program: list[tuple], x: int, y: int) -> list[tuple]:
    """Leave out stretches of rows while the pass stays wrong: halves first, single rows last."""
    size = len(program) // 2
    while size:
        at = 0
        while at < len(program) - 1:
            less = program
            for _ in range(min(size, len(program) - 1 - at)):
                less = without(less, at)
            if differs(less, changed(change, less), x, y):
                program, at = less, 0
            else:
                at += size
        size //= 2
    return program


def fuzz(change: Callable, seed: int) -> tuple[list[tuple], int, int] | None:
    """Return a program and inputs on which the pass is wrong, no row to spare; else None."""
    dice = random.Random(seed)
    for _ in range(1500):
        program = draw(dice)
        other = changed(change, program)
        # One call of the pass, several runs: the calls are counted, and runs cost nothing.
        for _ in range(5):
            x, y = dice.choice(NUMBERS), dice.choice(NUMBERS)
            if differs(program, other, x, y):
                return halved(change, program, x, y), x, y
    return None


def fuzz_a_pass(passes: list[str], seed: int) -> torch.Tensor:
    """1 for each pass of which something was found, else 0; int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        found.append(fuzz(names["change"], seed) is not None)
    return torch.tensor(found).long()
