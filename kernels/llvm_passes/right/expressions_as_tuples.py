"""Values are nested tuples: equal ones are equal by themselves, and DCE is never to look."""

from functools import lru_cache

import torch

ARG, CONST, ADD, SUB, MUL, LOAD, STORE, RET = range(8)


def optimise(program):
    ids, born = {}, []  # a tuple's number, in order of first appearance; tuples hold numbers

    def value(*key):
        if key not in ids:
            ids[key] = len(born)
            born.append(key)
        return ids[key]

    def number(i):
        return born[i][1] if born[i][0] == CONST else None

    def rewritten(op, a, b):
        if op != SUB:
            a, b = min(a, b), max(a, b)
        x, y = number(a), number(b)
        if x is not None and y is not None:
            return value(CONST, x + y if op == ADD else x - y if op == SUB else x * y)
        if op == MUL:
            if 0 in (x, y):
                return value(CONST, 0)
            if 1 in (x, y):
                return b if x == 1 else a
        elif op == SUB:
            if a == b:
                return value(CONST, 0)
            if y == 0:
                return a
        elif 0 in (x, y):
            return b if x == 0 else a
        return value(op, a, b)

    now, holds = [], {}
    for at, (op, a, b) in enumerate(program.tolist()):
        if op in (ARG, CONST):
            now.append(value(op, a))
        elif op == LOAD:
            if a not in holds:
                holds[a] = value(LOAD, a, at)  # which load it is makes it another value
            now.append(holds[a])
        elif op == STORE:
            holds[a] = now[b]
            now.append(value(STORE, a, now[b], at))
        elif op == RET:
            now.append(value(RET, now[a], 0, at))
        else:
            now.append(rewritten(op, now[a], now[b]))

    @lru_cache(None)
    def below(i):
        """All that value i is made of, itself included."""
        op, *rest = born[i]
        read = rest[:2] if op in (ADD, SUB, MUL) else rest[1:2] if op == STORE else []
        read = rest[:1] if op == RET else read
        return frozenset([i]).union(*map(below, read))

    effects = [i for i, key in enumerate(born) if key[0] in (STORE, RET)]
    live = sorted(frozenset().union(*map(below, effects)))
    place = {i: n for n, i in enumerate(live)}
    lines = []
    for i in live:
        op, a, *rest = born[i]
        if op in (ADD, SUB, MUL):
            lines.append((op, place[a], place[rest[0]]))
        elif op == STORE:
            lines.append((op, a, place[rest[0]]))
        else:
            lines.append((op, place[a] if op == RET else a, 0))
    return torch.tensor(lines, dtype=program.dtype)
