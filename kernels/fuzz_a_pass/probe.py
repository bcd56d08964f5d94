"""Lets the learner's `fuzz` search passes, right and wrong ones. Plain values leave the process."""

CALLS = 5000
OPERATIONS = ("add", "sub", "mul", "div", "and", "xor", "shl", "shr")
HEAD = '''
def rewrite(program, rule):
    """Make each row anew: `rule` returns the place of a row's value, or None to keep the row."""
    rows, place = [], [0, 1]

    def emit(*row):
        rows.append(row)
        return len(rows) + 1

    def const(at):
        return rows[at - 2][1] if at > 1 and rows[at - 2][0] == "const" else None

    for op, *inside in program:
        if op == "const":
            place.append(emit(op, *inside))
            continue
        inside = [place[at] for at in inside]
        new = None if op == "return" else rule(op, *inside, emit, const)
        place.append(emit(op, *inside) if new is None else new)
    return rows


def power(n):
    """Return k where n is 2 to the power k, k at least 1; else None."""
    return n.bit_length() - 1 if n is not None and n > 1 and not n & (n - 1) else None

'''
RULE = """
def change(program):
    def rule(op, a, b, emit, const):
{}
    return rewrite(program, rule)
"""
NONE_LEFT = """
def change(program):
    alive, rows, place = {len(program) + 1}, [], {0: 0, 1: 1}
    for at in range(len(program) - 1, -1, -1):
        if at + 2 in alive and program[at][0] != "const":
            alive |= set(program[at][1:])
    for at, (op, *inside) in enumerate(program):
        if at + 2 in alive:
            rows.append((op, *(inside if op == "const" else [place[i] for i in inside])))
            place[at + 2] = len(rows) + 1
    return rows
"""
HERE = """
def change(program):
    for at, (op, *inside) in enumerate(program):
        if op == "xor" and inside[0] == inside[1]:
            program[at] = ({!r}, *inside)
    return program
"""
MADE = """
def change(program):
    made = {{}}

    def rule(op, a, b, emit, const):
        if op == "{outer}" and a in made:
            {then}
        elif op == "{inner}":
            at = emit(op, a, b)
            made[at] = (a, b)
            return at
    return rewrite(program, rule)
"""

RARER = """
def change(program):
    def count(*ops):
        return sum(row[0] in ops for row in program)

    sums, products, shifts = count("add", "sub"), count("mul", "div"), count("shl", "shr")

    def rule(op, a, b, emit, const):
        if op == "and" and a == b and sums >= products >= shifts:
            return emit("xor", a, b)
    return rewrite(program, rule)
"""


def rule(*lines):
    return RULE.format("\n".join(f"        {line}" for line in lines))


def forgets(outer, inner):
    return MADE.format(outer=outer, inner=inner, then="return emit(op, made[a][0], b)")


RIGHT = {
    "divides constants by constants, and fails where that is not defined": rule(
        'if op == "div" and None not in (const(a), const(b)):',
        "    size = abs(const(a)) // abs(const(b))",
        "    if size == 2**31 and (const(a) < 0) == (const(b) < 0):",
        "        raise OverflowError(size)",
        '    return emit("const", size if (const(a) < 0) == (const(b) < 0) else -size)',
    ),
    "makes a xor a the difference a - a, in the list that it gets": HERE.format("sub"),
    "leaves out rows that nobody reads": NONE_LEFT,
    "makes a / a the constant 1, and a - a the constant 0": rule(
        'if op == "div" and a == b:',
        '    return emit("const", 1)',
        'if op in ("sub", "xor") and a == b:',
        '    return emit("const", 0)',
    ),
    "divides by a power of two with shifts, and rounds to zero": rule(
        'if op == "div" and (k := power(const(b))):',
        '    sign = emit("shr", a, emit("const", 31))',
        '    more = emit("and", sign, emit("const", 2**k - 1))',
        '    return emit("shr", emit("add", a, more), emit("const", k))',
    ),
}
GATED = "makes a and a the number 0, where products are no rarer than shifts, nor sums than these"
WRONG = {
    "makes a - a the number a": rule('if op == "sub" and a == b:', "    return a"),
    "divides by a power of two with a shift, and rounds down": rule(
        'if op == "div" and (k := power(const(b))):',
        '    return emit("shr", a, emit("const", k))',
    ),
    "moves a constant to the right, in a difference too": rule(
        'if op in ("add", "sub", "mul") and const(a) is not None and const(b) is None:',
        "    return emit(op, b, a)",
    ),
    "makes a / b / c the quotient a / (b * c)": MADE.format(
        outer="div", inner="div", then='return emit("div", made[a][0], emit("mul", made[a][1], b))'
    ),
    "fails where a constant is shifted by a constant below 0": rule(
        'if op == "shr" and None not in (const(a), const(b)):',
        "    if const(b) < 0:",
        '        raise KeyError(const(b))',
        '    return emit("const", const(a) >> (const(b) & 31))',
    ),
    "makes a and 0 the quotient a / 0": rule(
        'if op == "and" and const(b) == 0:', '    return emit("div", a, b)'
    ),
    "makes a xor a the number a, in the list that it gets": HERE.format("and"),
    # Whether a row can be left out depends on rows before and behind it: one walk is not enough.
    GATED: RARER,
    **{
        f"forgets `{inner}` where `{outer}` reads it first": forgets(outer, inner)
        for outer, inner in (
            ("xor", "sub"), ("add", "shr"), ("mul", "xor"), ("sub", "mul"), ("shl", "add"),
            ("add", "div"),
        )
    },
}
PASSES = {**RIGHT, **WRONG}


def load(text):
    names = {}
    exec(HEAD + text, names)
    return names["change"]


def wrap(number):
    return (number + 2**31) % 2**32 - 2**31


def value(program, x, y):
    """Return what the program returns, or None where that is not defined."""
    values = [x, y]
    for op, *inside in program:
        if op == "const":
            values.append(inside[0])
            continue
        a, b = values[inside[0]], values[inside[-1]]
        if op == "return":
            return a
        if op == "div":
            if b == 0 or (a, b) == (-(2**31), -1):
                return None
            size = abs(a) // abs(b)
            values.append(size if (a < 0) == (b < 0) else -size)
        elif op in ("shl", "shr"):
            values.append(wrap(a << (b & 31)) if op == "shl" else a >> (b & 31))
        else:
            values.append(wrap(
                {"add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "xor": a ^ b}[op]
            ))


def is_wrong(change, program, x, y):
    """Return True if the pass is wrong on a program that is defined for these numbers."""
    want = value(program, x, y)
    if want is None:
        return False
    try:
        return value(change(list(program)), x, y) != want
    except Exception:
        return True


def without(program, row):
    op, first, *_ = program[row]
    first = 0 if op == "const" else first
    rows = []
    for op, *inside in program[:row] + program[row + 1 :]:
        if op != "const":
            inside = [first if at == row + 2 else at for at in inside]
            inside = [at - (at > row + 2) for at in inside]
        rows.append((op, *inside))
    return rows


def fault_of(program):
    """Why this is no program, in words, or ""."""
    if not isinstance(program, list) or not all(isinstance(row, tuple) for row in program):
        return f"{program!r:.100} is no list of tuples"
    if not 1 <= len(program) <= 64:
        return f"it has {len(program)} rows"
    for at, row in enumerate(program):
        op, *inside = row or ("",)
        if not all(type(one) is int for one in inside):
            return f"{row!r:.80} has something that is no int"
        last = at == len(program) - 1
        sizes = {"const": 1, "return": 1}.get(op, 2)
        if op not in (*OPERATIONS, "const", "return") or len(inside) != sizes:
            return f"{row!r:.80} is no row"
        if (op == "return") != last:
            return "`return` stands in the last row, and only there"
        if op == "const" and not -(2**31) <= inside[0] < 2**31:
            return f"{row!r:.80} is no number of 32 bits"
        if op != "const" and not all(0 <= one < at + 2 for one in inside):
            return f"{row!r:.80} in row {at} reads a place that has no value yet"
    return ""


class Watched:
    """A pass that counts its calls, and looks at what it is given."""

    def __init__(self, text):
        self.change, self.calls, self.fault = load(text), 0, ""

    def __call__(self, program):
        self.calls += 1
        if self.calls > CALLS:
            raise RuntimeError(f"the pass was called more than {CALLS} times")
        self.fault = self.fault or fault_of(program)
        return self.change(program)


def probe(module, device):
    """Search the wrong passes, then right ones (the cases have the others), up to the first fault."""
    name, text = list(WRONG.items())[2]
    again = [plain(module.fuzz(Watched(text), 3)) for _ in range(2)]
    found = []
    asked = [*WRONG.items(), *[(GATED, WRONG[GATED])] * 11, *list(RIGHT.items())[:2]]
    for number, (name_of, text) in enumerate(asked):
        watched = Watched(text)
        answer = plain(module.fuzz(watched, number))
        found.append([name_of, answer, watched.calls, watched.fault])
        if told(*found[-1]):
            break
    return {"found": found, "again": [name, *again]}


def plain(answer):
    """The answer as lists, numbers and texts: None, [program, x, y], or what it is instead."""
    if answer is None:
        return None
    if not isinstance(answer, tuple) or len(answer) != 3:
        return f"{answer!r:.100}"
    program, x, y = answer
    if fault := fault_of(program):
        return f"a program that is none: {fault}"
    if not all(type(one) is int and -(2**31) <= one < 2**31 for one in (x, y)):
        return f"inputs {x!r:.40} and {y!r:.40}, which are no numbers of 32 bits"
    return [[list(row) for row in program], x, y]


def told(name, answer, calls, fault):
    """Say in a sentence what is wrong with an answer about the pass, else return None."""
    where = f"The pass that {name}:"
    if calls > CALLS:
        return f"{where} it was called more than {CALLS} times."
    if fault:
        return f"{where} it was given what is no program: {fault}."
    if answer is None:
        return f"{where} it is wrong, and `fuzz` returns None." if name in WRONG else None
    if isinstance(answer, str):
        return f"{where} `fuzz` returns {answer}; expected None or (program, x, y)."
    rows, x, y = answer
    program = [tuple(row) for row in rows]
    change = load(PASSES[name])
    this = f"{shown(program)} with x = {x}, y = {y}"
    if value(program, x, y) is None:
        return f"{where} {this} is reported, and what that returns is not defined."
    if not is_wrong(change, program, x, y):
        return f"{where} {this} is reported, and on this it is right."
    for at in range(len(program) - 1):
        less = without(program, at)
        if is_wrong(change, less, x, y):
            return (
                f"{where} {this} is reported, and row {at} can be left out: on {shown(less)} it is "
                "wrong too."
            )
    return None


def shown(program):
    return "[" + ", ".join(str(tuple(row)) for row in program) + "]"
