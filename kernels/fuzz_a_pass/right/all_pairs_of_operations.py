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


INPUTS = [(7, -3), (-7, 2), (-1, 2**31 - 1), (65536, 65536), (0, 5), (-(2**31), 31)]


def programs():
    """Each operation below each other one, with operands of several kinds."""
    for k in (0, 1, 8, -2, 31, 2**16):
        for op in OPERATIONS:
            for a, b in ((0, 2), (2, 0), (0, 0), (2, 2), (0, 1)):
                yield [("const", k), (op, a, b), ("return", 3)]
    for inner in OPERATIONS:
        for outer in OPERATIONS:
            for k in (3, 2**16, -1):
                for a, b in ((0, 1), (1, 2), (2, 1), (1, 1)):
                    for c, d in ((3, 1), (3, 2), (0, 3), (3, 3)):
                        yield [("const", k), (inner, a, b), (outer, c, d), ("return", 4)]


def fuzz(change: Callable, seed: int) -> tuple[list[tuple], int, int] | None:
    """Nothing is drawn: all small programs of a kind, one after the other."""
    calls = 0

    def wrong(program, x, y, new=None):
        nonlocal calls
        try:
            want = run(program, x, y)
            if new is None:
                calls += 1
                new = change(program.copy())
        except Undefined:
            return False
        except Exception:
            return True
        try:
            return run(new, x, y) != want
        except Undefined:
            return True

    for program in programs():
        if calls > 4800:
            break
        calls += 1
        try:
            new = change(program.copy())
        except Exception:
            new = [("div", 0, 0), ("const", 0), ("div", 0, 3), ("return", 2)]  # never defined
        for x, y in INPUTS:
            if wrong(program, x, y, new):
                rows = list(range(len(program) - 1))
                while rows:
                    row = rows.pop()
                    if wrong(without(program, row), x, y):
                        program = without(program, row)
                        rows = list(range(len(program) - 1))
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
