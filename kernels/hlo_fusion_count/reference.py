import torch

from tutor.judge.spec import Case, Work

EXPENSIVE = ("exponential", "log", "tanh", "sqrt", "atan2")


def counted(lines, results, *, change=""):
    """The two numbers, by XLA's rules. The option names a mistake."""
    first, same, needs, order = {}, {}, {}, []
    for line in lines:
        name, call = line.split(" = ")
        operation, operands = call.rstrip(")").split("(")
        operands = operands.split(", ")
        key = (operation, *(each if change == "written" else same.get(each, each) for each in operands))
        if change == "stay":
            key = name
        same[name] = first.setdefault(key, name)
        if same[name] == name:
            needs[name] = (operation, [same.get(each, each) for each in operands])
            order.append(name)
    results = [same[name] for name in results]
    fusions = {name: set() for name in order}
    for name in order[::-1]:
        operation, operands = needs[name]
        read = len(fusions[name])
        if name in results and not (change == "inside" and read):
            fusions[name].add(name)
        if change == "dead" and not fusions[name]:
            fusions[name].add(name)
        costly = operation in EXPENSIVE or change == "costly"
        if costly and len(fusions[name]) > 1 and change != "cheap":
            fusions[name] = {name}
        if change == "memory" and name in results:
            fusions[name] = {name}
        for each in operands:
            if each in fusions:
                fusions[each] |= fusions[name]
    different = len([1 for name in order if fusions[name]])
    total = different if change == "different" else sum(map(len, fusions.values()))
    return [len(set().union(*fusions.values())), total]


def reference(lines, results):
    return torch.tensor(counted(lines, results))


eager = reference


def by_mistake(change):
    return lambda lines, results: torch.tensor(counted(lines, results, change=change))


NEAR_MISSES = (
    ("equal lines are not made one", by_mistake("stay")),
    ("lines that become equal, since they read equal lines, are not made one", by_mistake("written")),
    ("lines that no result needs are computed too", by_mistake("dead")),
    ("a result that another line reads is not written", by_mistake("inside")),
    ("cheap operations are computed in one fusion only", by_mistake("costly")),
    ("expensive operations are computed again in every fusion", by_mistake("cheap")),
    ("a cheap result is read from memory by the fusions that need it", by_mistake("memory")),
    ("an operation that is computed in two fusions counts once", by_mistake("different")),
)


def work(lines, results):
    return Work(bytes=8 * sum(map(len, [*lines, *results])), flops=0)


CHEAP = ("floor", "cosine", "sine")
COSTLY = ("exponential", "log", "tanh", "sqrt")
PAIRS = ("add", "subtract", "atan2")


def by_dice(rows):
    """A program of so many lines, some of them equal. Its lines of two operands are read at most once,
    and no operation is one that XLA would simplify away."""

    def make(g):
        def draw(count):
            return int(torch.randint(count, (1,), generator=g, device=g.device))

        drawn, same, first = [], {}, {}
        while len(drawn) < rows:
            name, singles = f"v{len(drawn)}", [one for one in drawn if len(one[2]) == 1]
            read = {each for _, _, operands in drawn for each in operands}
            names = ["x", "y", *(n for n, _, o in drawn if len(o) == 1 or n not in read)]
            operands, kind = [names[-1 - draw(min(4, len(names)))]], ""
            if draw(5) < 2:
                operands.append(names[-1 - draw(min(5, len(names)))])
                kind = PAIRS[draw(3)]
            elif singles and draw(6) == 0:
                _, kind, operands = singles[draw(len(singles))]
            else:
                inner = {n: k for n, k, _ in drawn}.get(operands[0])
                # log(exp(x)) would be simplified, and floor(floor(x)) too.
                which = CHEAP if inner in COSTLY else COSTLY if inner in CHEAP else CHEAP + COSTLY
                kind = which[draw(len(which))]
            key = (kind, *(same.get(each, each) for each in operands))
            if kind == "add":  # XLA makes add(a, b) and add(b, a) one
                key = (kind, *sorted(key[1:]))
            if len(key) == 3 and (key in first or key[1] == key[2]):
                continue
            same[name] = first.setdefault(key, name)
            drawn.append((name, kind, list(operands)))
        read = {each for _, _, operands in drawn for each in operands}
        results = [name for name, _, operands in drawn if len(operands) == 2 and name not in read]
        results += [name for name, _, operands in drawn if len(operands) == 1 and draw(3) == 0]
        lines = [f"{name} = {kind}({', '.join(operands)})" for name, kind, operands in drawn]
        return lines, results or [drawn[-1][0]]

    return make


def fixed(text, results):
    return lambda g: ([line.strip() for line in text.split(";")], results.split())


CASES = (
    Case("one chain", fixed(
        "v0 = exponential(x); v1 = add(v0, y); v2 = tanh(v1)", "v2")),
    Case("two readers in one fusion", fixed(
        "v0 = tanh(x); v1 = floor(v0); v2 = sine(v0); v3 = add(v1, v2)", "v3")),
    Case("two readers in two fusions", fixed(
        "v0 = tanh(x); v1 = floor(v0); v2 = sine(v0)", "v1 v2")),
    Case("a cheap one between", fixed(
        "v0 = log(x); v1 = cosine(v0); v2 = floor(v1); v3 = tanh(v1)", "v2 v3")),
    Case("results that are read", fixed(
        "v0 = sqrt(x); v1 = sine(v0); v2 = tanh(v1); v3 = add(v2, y)", "v0 v1 v3")),
    Case("equal by their operands", fixed(
        "v0 = exponential(x); v1 = exponential(x); v2 = floor(v0); v3 = floor(v1);"
        "v4 = subtract(v2, y); v5 = subtract(y, v3); v6 = atan2(v4, v5)", "v6 v2 v3 v2")),
    Case("results equal to earlier lines", fixed(
        "v0 = tanh(x); v1 = tanh(x); v2 = floor(v0); v3 = cosine(y); v4 = cosine(y)", "v1 v2 v4")),
    Case("nobody needs it", fixed(
        "v0 = tanh(x); v1 = log(y); v2 = add(v0, v1); v3 = sine(x); v4 = sqrt(v3)", "v3")),
    Case("written, and read by one that is written", fixed(
        "v0 = tanh(x); v1 = sine(v0); v2 = exponential(v1); v3 = floor(v2); v4 = cosine(v2)", "v3 v4")),
    Case("two operands below a fork", fixed(
        "v0 = add(x, y); v1 = sine(v0); v2 = floor(v1); v3 = tanh(v1); v4 = atan2(x, y);"
        "v5 = cosine(v4); v6 = floor(v5); v7 = log(v5)", "v2 v3 v6 v7")),
    *(Case(f"{rows} lines by dice, {word}", by_dice(rows))
      for rows in (8, 14) for word in ("one", "two", "three")),
)
