# expect: wrong-values
import torch

ARG, CONST, ADD, SUB, MUL, LOAD, STORE, RET = range(8)


def optimise(program: torch.Tensor) -> torch.Tensor:
    out: list[tuple[int, int, int]] = []
    seen: dict[tuple[int, int, int], int] = {}
    holds: dict[int, int] = {}
    stands_for: list[int] = []

    def row(op: int, a: int, b: int) -> int:
        if (op, a, b) not in seen:
            seen[op, a, b] = len(out)
            out.append((op, a, b))
        return seen[op, a, b]

    for op, a, b in program.tolist():
        if op in (ADD, SUB, MUL):
            found = simplified(out, op, stands_for[a], stands_for[b])
            stands_for.append(found if isinstance(found, int) else row(*found))
        elif op == LOAD:
            if a not in holds:
                holds[a] = len(out)
                out.append((LOAD, a, 0))
            stands_for.append(holds[a])
        elif op == STORE:
            holds[a] = stands_for[b]
            stands_for.append(len(out))
            out.append((STORE, a, stands_for[b]))
        elif op == RET:
            out.append((RET, stands_for[a], 0))
        else:
            stands_for.append(row(op, a, b))
    return torch.tensor(without_the_dead(out))


def simplified(out, op: int, a: int, b: int) -> int | tuple[int, int, int]:
    if op in (ADD, MUL):
        a, b = max(a, b), min(a, b)
    x, y = (out[i][1] if out[i][0] == CONST else None for i in (a, b))
    if x is not None and y is not None:
        return CONST, {ADD: x + y, SUB: x - y, MUL: x * y}[op], 0
    if op == SUB and a == b or op == MUL and 0 in (x, y):
        return CONST, 0, 0
    neutral = 1 if op == MUL else 0
    if y == neutral:
        return a
    if x == neutral and op != SUB:
        return b
    return op, a, b


def without_the_dead(out):
    alive: set[int] = set()
    for i in reversed(range(len(out))):
        op, a, b = out[i]
        if op in (STORE, RET) or i in alive:
            alive |= {i, *operands(op, a, b)}
    number = {old: new for new, old in enumerate(sorted(alive))}
    kept = []
    for i in sorted(alive):
        op, a, b = out[i]
        if op in (ADD, SUB, MUL):
            a, b = number[a], number[b]
        elif op == RET:
            a = number[a]
        elif op == STORE:
            b = number[b]
        kept.append((op, a, b))
    return kept


def operands(op: int, a: int, b: int) -> tuple[int, ...]:
    if op in (ADD, SUB, MUL):
        return a, b
    return (a,) if op == RET else (b,) if op == STORE else ()
