import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

OFF = 0.05 / (32 * 2.0**-52)  # times a number: the judge's bound is 5 % of it
project = runpy.run_path(str(Path(__file__).with_name("probe.py")))["project"]

NAMES = (
    "steps of time",
    "idle share",
    "microbatches alive",
    "bytes of activations",
    "bytes of weights and gradients",
    "bytes of Adam's state",
    "bytes of messages",
    "bytes of collectives",
    "messages",
    "bytes sent",
    "FLOP",
)


def reference(stages, replicas, microbatches, tokens, width, weights, saved):
    every = range(stages)
    alive = [min(stages - s, microbatches) for s in every]
    share = [-(-n // replicas) for n in weights]
    sends = [microbatches * ((s > 0) + (s < stages - 1)) for s in every]
    sent = [8 * each * tokens * width for each in sends]
    handed = [8 * (replicas + 1) * each * (replicas > 1) for each in share]
    return torch.tensor(
        [
            3 * (microbatches + stages - 1),
            (stages - 1) / (microbatches + stages - 1),
            max(alive),
            max(one * other for one, other in zip(alive, saved, strict=True)),
            16 * max(weights),
            16 * max(share),
            max(sent),
            max(handed),
            max(sends),
            max(one + other for one, other in zip(sent, handed, strict=True)),
            6 * max(weights) * tokens * microbatches,
        ],
        dtype=torch.float64,
    )


eager = reference


def scale(*args):
    return reference(*args).abs() * OFF


def work(stages, replicas, microbatches, tokens, width, weights, saved):
    return Work(bytes=8 * (5 + 2 * stages + 11), flops=0)


def slips(stages, replicas, microbatches, tokens, width, weights, saved):
    """(place, value, what it is) of other numbers that are told by name."""
    m, n = microbatches, max(weights)
    share = -(-n // replicas)
    want = reference(stages, replicas, m, tokens, width, weights, saved).tolist()
    message = 8 * tokens * width
    middle, several = stages > 2, replicas > 1  # without these a number is 0, and not told
    return (
        (0, 3 * m, "the time of the microbatches alone: stages wait at the beginning and the end"),
        (0, 2 * (m + stages - 1), "what comes out if a backward takes 1; it takes 2"),
        (0, 3 * (m + stages), "that of one stage more"),
        (1, (stages - 1) / m, "idle time over busy time; the share is of the whole time"),
        (2, m, "what GPipe keeps; in 1F1B a stage keeps no more than there are stages from it on"),
        (2, stages, "what is kept if there are enough microbatches; here there are fewer"),
        (2, want[2] - 1, "one too few: the microbatch of the last forward is alive as well"),
        (3, m * max(saved), "what GPipe keeps"),
        (3, want[2] * saved[0], "that of the first stage; another one may keep more"),
        (3, want[2] * max(saved), "the most microbatches times the most bytes, of two stages"),
        (3, max(saved), "that of one microbatch"),
        (4, 8 * n, "that of the weights without their gradients"),
        (4, 16 * sum(weights), "that of all stages together"),
        (5, 16 * n, "the state without ZeRO-1: each replica would hold all of it"),
        (5, 16 * -(-n // (replicas * stages)), "the state split among all ranks; replicas alone share"),
        (5, 8 * share, "that of one number for each weight; Adam has two"),
        (6, middle * m * message, "that of one way; a stage in the middle sends forward and back"),
        (6, 2 * m * message, "that of a stage in the middle, and there is none"),
        (7, several * 8 * replicas * share, "that of the reduce-scatter alone"),
        (7, several * 16 * share, "a share to each of both; the reduce-scatter gets all gradients"),
        (7, several * 16 * replicas * share, "all to each of both; the all-gather gets a share"),
        (7, 8 * (replicas + 1) * share, "that of several replicas, and there is one"),
        (8, 2 * m, "that of a stage in the middle, and there is none"),
        (8, middle * m, "that of one way; a stage in the middle sends forward and back"),
        (9, want[6] + want[7], "the two largest, of two ranks; no rank sends both"),
        (9, want[6], "the messages alone"),
        (9, want[7], "the collectives alone"),
        (10, 6 * n * tokens, "that of one microbatch"),
        (10, 2 * n * tokens * m, "the forward alone"),
        (10, 6 * sum(weights) * tokens * m, "that of all stages together"),
    )


def explain_wrong(got, *args):
    """Name the first number that is off, and what else has this number."""
    want = reference(*args)
    for place, (one, other) in enumerate(zip(got.tolist(), want.tolist(), strict=True)):
        if abs(one - other) <= 0.05 * abs(other):
            continue
        said = f"Place {place}, {NAMES[place]}: you promise {one:,.6g}, and it is {other:,.6g}."
        for where, value, what in slips(*args):
            if where == place and value and abs(one - value) <= 1e-6 * abs(value):
                return f"{said} Yours is {what}."
        halved = "bytes" in NAMES[place] and abs(2 * one - other) <= 1e-6 * abs(other)
        return f"{said} Yours is half of it. A number takes 8 bytes." if halved else said
    return None


def check_found(found):
    fault = explain_wrong(torch.tensor(found["promised"], dtype=torch.float64), *project())
    return ("wrong-values", f"For the project's own run: {fault}") if fault else None


def figures(found):
    """What the learner promises of the project's own run."""
    return {
        name: f"{number:.2f}" if number < 1 else f"{number:,.0f}"
        for name, number in zip(NAMES, found["promised"], strict=True)
    }


def fixed(*args):
    return lambda g: args


def drawn(stages, replicas, microbatches):
    def make(g):
        def dice(low, high, count):
            return torch.randint(low, high, (count,), generator=g).tolist()

        tokens, width = dice(8, 200, 2)
        return (
            stages,
            replicas,
            microbatches,
            tokens,
            width,
            dice(10_000, 400_000, stages),
            dice(50_000, 900_000, stages),
        )

    return make


CASES = (
    Case("the project's own run", fixed(*project())),
    Case("four stages in a row", drawn(4, 1, 8)),
    Case("one stage, four replicas", drawn(1, 4, 3)),
    Case("three stages, two replicas", drawn(3, 2, 6)),
    Case("fewer microbatches than stages", drawn(5, 2, 2)),
    Case("one microbatch", drawn(2, 3, 1)),
    Case(
        "the second stage keeps most",
        fixed(3, 2, 4, 32, 64, [90_000, 70_000, 20_000], [1000, 4000, 9000]),
    ),
    Case(
        "the largest stage at the end",
        fixed(4, 2, 16, 512, 128, [900, 800, 700, 60_000], [500, 400, 300, 800]),
    ),
    Case("few weights, many replicas", fixed(2, 6, 3, 4, 2, [7, 13], [100, 90])),
    Case("one rank", drawn(1, 1, 5)),
)
