import torch

from tutor.judge.spec import Case, Work

ARG, CONST, ADD, SUB, MUL, LOAD, STORE, RET = range(8)
ARITHMETIC = (ADD, SUB, MUL)


def reference(program):
    """Value numbering: equal values get one number, in order of first appearance."""
    values = Values()
    effects = []  # (where it stands among values and effects, operation, cell, value)
    of_row, memory, stores = [], {}, {}
    for op, a, b in program.tolist():
        if op in ARITHMETIC:
            value = values.combined(op, of_row[a], of_row[b])
        elif op == LOAD:
            # Between two stores to a cell, all loads of it are one value; after a store, the stored.
            value = memory.setdefault(a, None)
            if value is None:
                value = memory[a] = values.number(LOAD, a, stores.get(a, 0))
        elif op == STORE:
            memory[a] = of_row[b]
            stores[a] = stores.get(a, 0) + 1
            value = values.place()
            effects.append((value, STORE, a, of_row[b]))
        elif op == RET:
            value = values.place()
            effects.append((value, RET, 0, of_row[a]))
        else:
            value = values.number(op, a, 0)
        of_row.append(value)
    return torch.tensor(written(values, effects))


class Values:
    """Numbers for values; a number is a place in the order of first appearance."""

    def __init__(self):
        self.known = {}
        self.made_of = {}
        self.places = 0

    def place(self):
        self.places += 1
        return self.places - 1

    def number(self, *value):
        if value not in self.known:
            self.known[value] = self.place()
            self.made_of[self.known[value]] = value
        return self.known[value]

    def constant(self, number):
        op, value, _ = self.made_of[number]
        return value if op == CONST else None

    def combined(self, op, x, y):
        if op != SUB:
            x, y = sorted((x, y))
        left, right = self.constant(x), self.constant(y)
        if left is not None and right is not None:
            result = {ADD: left + right, SUB: left - right, MUL: left * right}[op]
            return self.number(CONST, result, 0)
        if (op == SUB and x == y) or (op == MUL and 0 in (left, right)):
            return self.number(CONST, 0, 0)
        unit = 1 if op == MUL else 0
        if right == unit:
            return x
        if left == unit and op != SUB:
            return y
        return self.number(op, x, y)


def written(values, effects):
    """Rows for all effects and for what they are made of, in the order of their places."""
    wanted, open_ones = set(), [value for _, _, _, value in effects]
    while open_ones:
        number = open_ones.pop()
        if number not in wanted:
            wanted.add(number)
            op, a, b = values.made_of[number]
            open_ones += [a, b] if op in ARITHMETIC else []
    rows, row_of = [], {}
    at = {place: (op, cell, value) for place, op, cell, value in effects}
    for place in sorted(wanted | set(at)):
        row_of[place] = len(rows)
        if place in at:
            op, cell, value = at[place]
            rows.append([STORE, cell, row_of[value]] if op == STORE else [RET, row_of[value], 0])
            continue
        op, a, b = values.made_of[place]
        rows.append([op, row_of[a], row_of[b]] if op in ARITHMETIC else [op, a, 0])
    return rows


eager = reference


def work(program):
    return Work(bytes=2 * program.numel() * program.element_size(), flops=0)


def rows(*listed):
    """A case of one program; a row may leave out its last columns."""
    return lambda g: (torch.tensor([[*r, 0, 0][:3] for r in listed]),)


def draw(g, low, high):
    return int(torch.randint(low, high, (1,), generator=g, device=g.device))


def by_dice(length):
    """A program of random rows that repeats itself often and stores now and then."""

    def make(g):
        program = [[ARG, 0, 0], [ARG, 1, 0], [CONST, 0, 0], [CONST, 1, 0]]
        values = [0, 1, 2, 3]
        small = {2: 0, 3: 1}  # rows known to be small constants, so that products stay in 64 bits
        for i in range(4, length):
            op = (ADD, ADD, SUB, MUL, CONST, LOAD, STORE)[draw(g, 0, 7)]
            a, b = (values[draw(g, 0, len(values))] for _ in "ab")
            if op == CONST:
                a, b = draw(g, 0, 4), 0
                small[i] = a
            elif op == LOAD:
                a, b = draw(g, 0, 2), 0
            elif op == STORE:
                a = draw(g, 0, 2)
            elif a in small and b in small:
                result = {ADD: 1, SUB: -1}.get(op, 0)
                result = small[a] + result * small[b] if result else small[a] * small[b]
                if abs(result) > 1000:
                    op, a, b = SUB, a, a
                    result = 0
                small[i] = result
            program.append([op, a, b])
            if op != STORE:
                values.append(i)
        program.append([RET, values[-1], 0])
        return (torch.tensor(program),)

    return make


def in_a_wider_table(g):
    (program,) = by_dice(20)(g)
    wide = torch.full((len(program), 5), -1)
    wide[:, 1:4] = program
    return (wide[:, 1:4],)


CASES = (
    Case("nothing to do", rows((ARG, 0), (ARG, 1), (MUL, 0, 1), (RET, 2))),
    Case("two constants", rows((ARG, 0), (CONST, 6), (CONST, 7), (MUL, 1, 2), (ADD, 0, 3), (RET, 4))),
    Case("a constant of constants", rows(
        (CONST, 2), (CONST, 3), (ADD, 0, 1), (CONST, 9), (SUB, 3, 2), (ARG, 0), (ADD, 5, 4), (RET, 6))),
    Case("the same sum twice", rows(
        (ARG, 0), (ARG, 1), (ADD, 0, 1), (ADD, 0, 1), (MUL, 2, 3), (RET, 4))),
    Case("the operands exchanged", rows(
        (ARG, 0), (ARG, 1), (MUL, 0, 1), (MUL, 1, 0), (ADD, 2, 3), (RET, 4))),
    Case("one argument named twice", rows(
        (ARG, 1), (ARG, 0), (ARG, 1), (SUB, 0, 1), (SUB, 2, 1), (MUL, 3, 4), (RET, 5))),
    Case("a difference exchanged is another", rows(
        (ARG, 0), (ARG, 1), (SUB, 0, 1), (SUB, 1, 0), (MUL, 2, 3), (RET, 4))),
    Case("times one, plus zero, minus zero", rows(
        (ARG, 0), (CONST, 1), (CONST, 0), (MUL, 1, 0), (ADD, 3, 2), (SUB, 4, 2), (RET, 5))),
    Case("zero minus x", rows((ARG, 0), (CONST, 0), (SUB, 1, 0), (RET, 2))),
    Case("times zero, minus itself", rows(
        (ARG, 0), (CONST, 0), (MUL, 0, 1), (SUB, 0, 0), (ADD, 2, 3), (RET, 4))),
    Case("dead code that feeds dead code", rows(
        (ARG, 0), (ARG, 1), (MUL, 0, 1), (ADD, 2, 2), (SUB, 3, 1), (LOAD, 1), (RET, 0))),
    Case("a store is needed though nobody reads it", rows(
        (ARG, 0), (CONST, 2), (MUL, 0, 1), (STORE, 0, 2), (RET, 0))),
    Case("two loads of one cell", rows(
        (LOAD, 0), (LOAD, 0), (ADD, 0, 1), (LOAD, 1), (MUL, 2, 3), (RET, 4))),
    Case("a store between two loads", rows(
        (ARG, 0), (LOAD, 0), (STORE, 0, 0), (LOAD, 0), (SUB, 1, 3), (RET, 4))),
    Case("a store to another cell", rows(
        (ARG, 0), (LOAD, 0), (STORE, 1, 0), (LOAD, 0), (ADD, 1, 3), (RET, 4))),
    Case("stored, then loaded", rows(
        (ARG, 0), (CONST, 3), (ADD, 0, 1), (STORE, 0, 2), (LOAD, 0), (MUL, 4, 2), (RET, 5))),
    Case("equal only after folding", rows(
        (ARG, 0), (CONST, 1), (CONST, 2), (ADD, 1, 1), (MUL, 0, 3), (MUL, 0, 2), (SUB, 4, 5), (RET, 6))),
    Case("a view of a wider table", in_a_wider_table),
    Case("30 rows by dice", by_dice(30)),
    Case("60 rows by dice", by_dice(60)),
    Case("120 rows by dice", by_dice(120)),
    Case("stores to cells with the numbers of rows", rows(
        (ARG, 0), (CONST, 5), (ARG, 1), (MUL, 0, 2), (STORE, 1, 3), (STORE, 2, 0), (RET, 3))),
)  # fmt: skip
