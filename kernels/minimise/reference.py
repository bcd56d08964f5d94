import json
import math

import torch

from tutor.judge.spec import Case, Work


def says(rules, places):
    """The outcome of a program of which only these places are left."""
    have = set(places)
    return next(
        (
            said
            for said, needed, absent in rules
            if have.issuperset(needed) and have.isdisjoint(absent)
        ),
        "right",
    )


def smallest(size, rules):
    """Leave out one by one, then two by two, without a thought for the calls; None if all is right."""
    kept = list(range(size))
    wanted = says(rules, kept)
    if wanted == "right":
        return None
    width = 1
    while width < 3:
        for at in range(len(kept) - width, -1, -1):
            rest = kept[:at] + kept[at + width :]
            if says(rules, rest) == wanted:
                kept, width = rest, 0
                break
        width += 1
    return kept


def reference(size, rules, calls):
    kept = smallest(size, json.loads(rules))
    marks = torch.full((size,), -1 if kept is None else 0)
    marks[kept or []] = 1
    return marks


eager = reference


def work(size, rules, calls):
    return Work(bytes=8 * size, flops=0)


def explain_wrong(got, size, rules, calls):
    rules = json.loads(rules)
    kept = [place for place, mark in enumerate(got.tolist()) if mark == 1]
    wanted = says(rules, range(size))
    if wanted == "right":
        return "The whole program is right, so there is nothing to report: None is asked for."
    if got.min() < 0:
        return f"None is returned, and the whole program has the outcome {wanted!r}."
    if says(rules, kept) != wanted:
        return (
            f"The whole program has the outcome {wanted!r}; what you have left has "
            f"{says(rules, kept)!r}. The outcome has to stay."
        )
    for width, words in (
        (1, "Operation {} of what is left can be left out"),
        (2, "Operations {} and {} of what is left can go together"),
    ):
        for at in range(len(kept) - width + 1):
            if says(rules, kept[:at] + kept[at + width :]) == wanted:
                where = words.format(*range(at, at + width))
                return f"{where}, counted from 0, and the outcome is still {wanted!r}."
    return None


def check_found(found):
    """(code, sentence) where the reproducer of a graph is not one or not small, else None."""
    for name, got in found.items():
        about = f"Of the graph with {name} ({got['size']} operations)"
        if got["fault"]:
            return "wrong-values", f"{about}: {got['fault']}."
        if got["outcome"] != got["wanted"]:
            return "wrong-values", (
                f"{about}, the outcome is {got['wanted']!r}; what you have left, "
                f"{', '.join(got['kept'])}, has {got['outcome']!r}."
            )
        if got["more"]:
            return "wrong-values", (
                f"{about} you have left {len(got['kept'])}. {' and '.join(got['more'])} can still be "
                f"left out, and the outcome is {got['wanted']!r} as before."
            )
    return None


def figures(found):
    """Operations for the verdict."""
    return {
        f"operations of a graph with {name}": f"{got['size']} before, {len(got['kept'])} left"
        for name, got in found.items()
    }


WRONG = "wrong values"


def allowed(size, table):
    """How many calls there are for this failure."""
    left = smallest(size, table) or []
    return 10 + int(5 * (len(left) + 1) * math.log2(size))


def rules(name, size, *table):
    calls = allowed(size, table)
    return Case(name, lambda g: (size, json.dumps(table), calls))


def together(said, first, second):
    """Two operations of which neither can be without the other."""
    return (said, [first], [second]), (said, [second], [first])


def drawn(count, size):
    """`count` operations are needed, and there is another failure that needs fewer."""

    def make(g):
        order = torch.randperm(size, generator=g, device=g.device).tolist()
        needed, other = sorted(order[:count]), sorted(order[count : count + 2])
        table = [
            ["KeyError: 'tanh'", other, order[count + 2 : count + 3]],
            [WRONG, needed, []],
        ]
        return size, json.dumps(table), allowed(size, table)

    return make


CASES = (
    rules("two of eight", 8, (WRONG, [2, 5], [])),
    rules("one operation", 1, (WRONG, [0], [])),
    rules("nothing is wrong", 12),
    rules("nothing is needed", 9, (WRONG, [], [])),
    rules("all are needed", 6, ("IndexError: out of range", [0, 1, 2, 3, 4, 5], [])),
    rules("the first and the last of 400", 400, (WRONG, [0, 399], [])),
    rules("five in a row of 300", 300, (WRONG, [140, 141, 142, 143, 144], [])),
    rules("six of 500", 500, (WRONG, [3, 90, 91, 260, 388, 471], [])),
    rules(
        "an error that a smaller part has too",
        60,
        ("KeyError: 'tanh'", [11, 40], [41]),
        (WRONG, [7, 30], []),
    ),
    rules(
        "an error, and not wrong values", 40, ("KeyError: 'tanh'", [11, 30], []), (WRONG, [5], [])
    ),
    rules(
        "two errors of one kind",
        16,
        ("KeyError: 'relu'", [3, 10], []),
        ("KeyError: 'tanh'", [13], []),
    ),
    rules("a pair", 20, *together("cannot run", 8, 9), (WRONG, [3, 15], [])),
    rules("a pair, and nothing is needed", 20, *together("cannot run", 8, 15), (WRONG, [], [])),
    rules("a pair far apart", 64, *together("cannot run", 20, 44), (WRONG, [3, 60], [])),
    rules("a pair at the end", 33, *together("cannot run", 31, 32), (WRONG, [0, 7], [])),
    rules(
        "pair inside of pair",
        40,
        *together("cannot run", 10, 13),
        *together("cannot run", 11, 12),
        (WRONG, [2, 30], []),
    ),
    rules("what a pair holds", 24, *together("cannot run", 5, 6), (WRONG, [2, 20], [])),
    rules(
        "needed as long as another one is there",
        30,
        ("cannot run", [21], [4]),
        (WRONG, [12, 25], []),
    ),
    rules(
        "needed as long as a pair is there",
        64,
        *together("cannot run", 20, 44),
        ("cannot run", [20], [4]),
        (WRONG, [1, 60], []),
    ),
    rules(
        "two pairs",
        64,
        *together("cannot run", 10, 21),
        *together("cannot run", 25, 50),
        (WRONG, [3, 60], []),
    ),
    Case("drawn, two of 100", drawn(2, 100)),
    Case("drawn, four of 200", drawn(4, 200)),
)
