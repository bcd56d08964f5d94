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


class Fuzzer:
    """A pass and the dice, with what both are asked."""

    def __init__(self, change, seed):
        self.change, self.dice = change, random.Random(1000 + seed)

    def number(self):
        """Draw a number near zero, a power of two, or any other, of either sign."""
        size = self.dice.choice((self.dice.randint(0, 9), 1 << self.dice.randint(0, 30), 2**31 - 1))
        return size if self.dice.random() < 0.6 else -size

    def program(self):
        """Draw rows by a plan of kinds, so that each operation comes up, and may come up twice."""
        plan = [*OPERATIONS, *OPERATIONS, *8 * ["const"]]
        self.dice.shuffle(plan)
        rows = []
        for kind in plan[: self.dice.randint(2, 16)]:
            if kind == "const":
                rows.append((kind, self.number()))
            else:
                first = self.dice.randrange(len(rows) + 2)
                second = first if self.dice.random() < 0.15 else self.dice.randrange(len(rows) + 2)
                rows.append((kind, first, second))
        rows.append(("return", len(rows) + 1))
        return rows

    def outcome(self, program, x, y):
        """ "right", "wrong" or "undefined"."""
        try:
            want = run(program, x, y)
        except Undefined:
            return "undefined"
        try:
            got = run(self.change([*program]), x, y)
        except Exception:
            return "wrong"
        return "right" if got == want else "wrong"

    def reduced(self, program, x, y):
        """The same, with no row to spare."""
        for row in range(len(program) - 1):
            less = without(program, row)
            if self.outcome(less, x, y) == "wrong":
                return self.reduced(less, x, y)
        return program


def fuzz(change: Callable, seed: int) -> tuple[list[tuple], int, int] | None:
    """Ask many programs, each with one pair of inputs."""
    fuzzer = Fuzzer(change, seed)
    for _ in range(3500):
        program, x, y = fuzzer.program(), fuzzer.number(), fuzzer.number()
        if fuzzer.outcome(program, x, y) == "wrong":
            return fuzzer.reduced(program, x, y), x, y
    return None


def fuzz_a_pass(passes: list[str], seed: int) -> torch.Tensor:
    """1 for each pass of which something was found, else 0; int64. Leave it as it is."""
    found = []
    for text in passes:
        names = {}
        exec(text, names)
        found.append(fuzz(names["change"], seed) is not None)
    return torch.tensor(found).long()
