import random

import torch

from tutor.judge.spec import Case, Work


def ways(layers, reformats, first, last, limit):
    """The least time, how many plans take it, and one of them."""
    copies = {(before, after): time for before, after, time in reformats}
    best = {first: (0, 1, [])}
    for tactics in [*layers, [[last, "", 0, 0]]]:
        now = {}
        for at, (reads, makes, time, workspace) in enumerate(tactics):
            for form, (so_far, count, choices) in best.items():
                copy = 0 if form == reads else copies.get((form, reads))
                if copy is None or workspace > limit:
                    continue
                whole, held = so_far + copy + time, now.get(makes)
                if held is None or whole < held[0]:
                    now[makes] = (whole, count, [*choices, at])
                elif whole == held[0]:
                    now[makes] = (whole, held[1] + count, held[2])
        best = now
    return best.get("")


def reference(layers, reformats, first, last, limit):
    return torch.tensor(ways(layers, reformats, first, last, limit)[2][:-1])


eager = reference


def scale(layers, reformats, first, last, limit):
    return 0.0


def work(layers, reformats, first, last, limit):
    return Work(bytes=8 * len(layers) + 8, flops=0)


def steps(choices, layers, reformats, first, last, limit):
    """Yield the time of each copy and each tactic of a plan, or a text that says what cannot be done."""
    copies = {(before, after): time for before, after, time in reformats}
    form = first
    for number, (at, tactics) in enumerate(zip(choices, layers, strict=True)):
        if not 0 <= at < len(tactics):
            yield f"Layer {number} has no tactic {at}."
            return
        reads, makes, time, workspace = tactics[at]
        if workspace > limit:
            yield (
                f"Tactic {at} of layer {number} needs {workspace} bytes of workspace, "
                f"and there are {limit}."
            )
            return
        if form != reads:
            if (form, reads) not in copies:
                yield (
                    f"Before layer {number} the value is in {form}, its tactic reads {reads}, "
                    "and no such reformat exists."
                )
                return
            yield copies[form, reads]
        yield time
        form = makes
    if form != last:
        yield copies.get((form, last)) or (
            f"The result is in {form}, {last} is wanted, and no such reformat exists."
        )


def explain_wrong(got, *args):
    """Say how long the plan takes and what can be had, or what cannot be done."""
    taken = list(steps(got.tolist(), *args))
    if isinstance(taken[-1], str):
        return taken[-1]
    copies = len(taken) - len(args[0])
    return (
        f"The plan takes {sum(taken)} µs, with {copies} reformats in it. "
        f"{ways(*args)[0]} µs can be had."
    )


def check_found(found):
    """Return code and sentence where the call changed its arguments."""
    if not found["kept"]:
        return (
            "wrong-values",
            "`pick_tactics` changes one of its arguments, which are to stay as they are.",
        )
    return None


def fixed(layers, reformats, first, last, limit=1 << 20):
    return lambda g: (layers, reformats, first, last, limit)


FORMATS = ("fp32 NCHW", "fp16 NCHW", "fp16 NHWC8", "int8 NC32HW", "fp16 NC16HW", "fp32 NHWC")


def drawn(count, tactics, formats, most, missing=0.0, tight=False):
    """A chain of layers with one fastest plan. `most`: of a reformat's time; `missing`: the part of
    reformats that do not exist; `tight`: some tactics need more workspace than there is."""

    def make(g):
        dice = random.Random(int(torch.randint(1 << 30, (), generator=g)))
        while True:
            names = dice.sample(FORMATS, formats)
            reformats = [
                [a, b, dice.randint(2, most)]
                for a in names
                for b in names
                if a != b and dice.random() >= missing
            ]
            dice.shuffle(reformats)
            limit = dice.choice((4096, 65_536))
            layers = []
            for _ in range(count):
                rows = []
                for _ in range(dice.randint(2, tactics)):
                    reads, makes = dice.choices(names, k=2)
                    if dice.random() < 0.7:
                        makes = reads
                    space = dice.choice((0, limit // 2, limit, limit + (256 if tight else 0)))
                    time = dice.randint(20, 90)
                    rows.append([reads, makes, time - (12 if space > limit else 0), space])
                layers.append(rows)
            args = (layers, reformats, names[0], dice.choice(names), limit)
            found = ways(*args)
            # There is a plan below the limit, too, so that a wrong limit gives another plan, not none.
            if found and found[1] == 1 and ways(*args[:-1], limit - 1):
                return args

    return make


# Plans of three formats, of which the last layer takes the one that is slowest until then.
LATE = [
    [["a", "a", 10, 0], ["a", "b", 11, 0], ["a", "c", 16, 0]],
    [["a", "a", 10, 0], ["b", "b", 11, 0], ["c", "c", 16, 0]],
    [["a", "a", 10, 0], ["b", "b", 11, 0], ["c", "c", 17, 0]],
    [["a", "a", 90, 0], ["b", "b", 80, 0], ["c", "c", 20, 0]],
]
FAR = [[x, y, 40] for x in "abc" for y in "abc" if x != y]
# From the eighth layer on, more than a million plans that end in "a" are faster than the one that wins,
# which stays in "b". Whoever keeps so many fastest plans, in whatever format, has lost it.
MANY = [
    [*(["a", "a", time, 0] for time in range(10, 16)), ["a", "b", 17, 0], ["b", "b", 18, 0]],
    *[[*(["a", "a", time, 0] for time in range(10, 16)), ["b", "b", 17, 0]]] * 38,
    [["a", "a", 990, 0], ["b", "b", 20, 0]],
]
PAIR = [
    [["nhwc", "nhwc", 22, 0], ["nchw", "nchw", 30, 0]],
    [["nhwc", "nhwc", 24, 0], ["nchw", "nchw", 25, 0]],
    [["nhwc", "nhwc", 20, 0], ["nchw", "nchw", 35, 0]],
]
BOTH = [["nchw", "nhwc", 9], ["nhwc", "nchw", 11]]

CASES = (
    Case("one layer", fixed(PAIR[:1], BOTH, "nchw", "nchw")),
    Case(
        "a copy behind the last layer",
        fixed([[["a", "b", 30, 0], ["a", "a", 10, 0]]], [["a", "b", 5]], "a", "b"),
    ),
    Case(
        "a copy in front of the first layer",
        fixed([[["b", "a", 5, 0], ["a", "a", 10, 0]]], [["a", "b", 9]], "a", "a"),
    ),
    Case(
        "no copy in front of the first layer",
        fixed([[["b", "b", 5, 0], ["a", "a", 10, 0]]], [["b", "a", 2]], "a", "a"),
    ),
    Case("two formats", fixed(PAIR, BOTH, "nchw", "nchw")),
    Case("there is no way back", fixed(PAIR, BOTH[:1], "nchw", "nchw")),
    Case("the slowest format until the end", fixed(LATE, FAR, "a", "c")),
    Case(
        "the slowest of many plans until the end",
        fixed(MANY, [["a", "b", 800], ["b", "a", 800]], "a", "b"),
    ),
    Case(
        "a tactic that changes the format by itself",
        fixed(
            [
                [["a", "a", 20, 0], ["a", "b", 23, 0]],
                [["b", "b", 20, 0], ["a", "a", 26, 0], ["b", "a", 19, 64]],
            ],
            [["a", "b", 5], ["b", "a", 8]],
            "a",
            "b",
            63,
        ),
    ),
    Case(
        "just as much workspace as there is",
        fixed([[["a", "a", 9, 65], ["a", "a", 12, 64], ["a", "a", 14, 0]]], [], "a", "a", 64),
    ),
    Case("drawn, 6 layers", drawn(6, 4, 3, 30)),
    Case("drawn, dear reformats", drawn(8, 5, 4, 60)),
    Case("drawn, reformats are missing", drawn(9, 5, 4, 30, missing=0.4)),
    Case("drawn, little workspace", drawn(10, 5, 3, 25, tight=True)),
    Case("drawn, 40 layers", drawn(40, 6, 6, 40, missing=0.2, tight=True)),
)
