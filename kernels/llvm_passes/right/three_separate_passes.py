"""InstCombine, EarlyCSE and DCE as passes of their own, repeated until nothing changes."""

import torch

ARG, CONST, ADD, SUB, MUL, LOAD, STORE, RET = range(8)
READS = {ADD: (1, 2), SUB: (1, 2), MUL: (1, 2), STORE: (2,), RET: (1,)}


def renamed(row, names):
    return [names[v] if i in READS.get(row[0], ()) else v for i, v in enumerate(row)]


def combined(program):
    """Every row rewritten where it stands; `names` leads past rows that are another's value."""
    out, names = [], []
    for i, old in enumerate(program):
        op, a, b = renamed(old, names)
        stands_for = i
        if op in (ADD, MUL):
            a, b = sorted((a, b))
        if op in (ADD, SUB, MUL):
            x = out[a][1] if out[a][0] == CONST else None
            y = out[b][1] if out[b][0] == CONST else None
            if x is not None and y is not None:
                op, a, b = CONST, x + y if op == ADD else x - y if op == SUB else x * y, 0
            elif (op == SUB and a == b) or (op == MUL and (x == 0 or y == 0)):
                op, a, b = CONST, 0, 0
            elif y == (1 if op == MUL else 0):
                stands_for = a
            elif op != SUB and x == (1 if op == MUL else 0):
                stands_for = b
        out.append([op, a, b])
        names.append(stands_for)
    return out, names


def merged(program):
    out, names, first, memory = [], [], {}, {}
    for i, old in enumerate(program):
        op, a, b = row = renamed(old, names)
        stands_for = i
        if op == STORE:
            memory[a] = b
        elif op == LOAD:
            stands_for = memory.setdefault(a, i)
        elif op != RET:
            stands_for = first.setdefault((op, a, b), i)
        out.append(row)
        names.append(stands_for)
    return out, names


def swept(program):
    """A round takes what nobody reads, until a round takes nothing."""
    while True:
        read = {row[i] for row in program for i in READS.get(row[0], ())}
        kept = [i for i, r in enumerate(program) if r[0] in (STORE, RET) or i in read]
        if len(kept) == len(program):
            return program
        names = {old: new for new, old in enumerate(kept)}
        program = [renamed(program[i], names) for i in kept]


def optimise(program):
    rows = program.tolist()
    while True:
        before = rows
        for walk in (combined, merged):
            rows, names = walk(rows)
            rows = [renamed(row, names) for row in rows]
        if rows == before:
            return torch.tensor(swept(rows))
