import torch

ARG, CONST, ADD, SUB, MUL, LOAD, STORE, RET = range(8)


def optimise(program: torch.Tensor) -> torch.Tensor:
    """A program that does the same in fewer rows of (operation, a, b)."""
    out: list[tuple[int, int, int]] = []  # the new program
    seen: dict[tuple[int, int, int], int] = {}  # row -> where it stands in `out`
    holds: dict[int, int] = {}  # memory cell -> the row of `out` whose value is in it
    stands_for: list[int] = []  # for each old row, the row of `out` that has its value

    def row(op: int, a: int, b: int) -> int:
        """EarlyCSE: the row that has this value already, or a new one."""
        if (op, a, b) not in seen:
            seen[op, a, b] = len(out)
            out.append((op, a, b))
        return seen[op, a, b]

    for op, a, b in program.tolist():
        # Operands lie above, so they have been rewritten already. That is why one walk is enough.
        if op in (ADD, SUB, MUL):
            found = simplified(out, op, stands_for[a], stands_for[b])
            stands_for.append(found if isinstance(found, int) else row(*found))
        elif op == LOAD:
            # A load is not a function of its operand: it is known only as long as nobody stores.
            if a not in holds:
                holds[a] = len(out)
                out.append((LOAD, a, 0))
            stands_for.append(holds[a])
        elif op == STORE:
            holds[a] = stands_for[b]  # and a load that follows need not go to memory
            stands_for.append(len(out))
            out.append((STORE, a, stands_for[b]))
        elif op == RET:
            out.append((RET, stands_for[a], 0))
        else:
            stands_for.append(row(op, a, b))
    return torch.tensor(without_the_dead(out))


def simplified(out, op: int, a: int, b: int) -> int | tuple[int, int, int]:
    """InstCombine: a row of `out` with the same value, or the row to write."""
    if op in (ADD, MUL):
        a, b = min(a, b), max(a, b)  # so that x + y and y + x look the same to EarlyCSE
    x, y = (out[i][1] if out[i][0] == CONST else None for i in (a, b))
    if x is not None and y is not None:
        return CONST, {ADD: x + y, SUB: x - y, MUL: x * y}[op], 0
    if (op == SUB and a == b) or (op == MUL and 0 in (x, y)):
        return CONST, 0, 0
    neutral = 1 if op == MUL else 0
    if y == neutral:
        return a
    if x == neutral and op != SUB:  # 0 - x is not x
        return b
    return op, a, b


def without_the_dead(out):
    """DCE: from below, so that a row is reached after everything that may need it."""
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
    """The rows that a row reads; cells, arguments and numbers are none."""
    if op in (ADD, SUB, MUL):
        return a, b
    return (a,) if op == RET else (b,) if op == STORE else ()
