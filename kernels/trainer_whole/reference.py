import functools
import runpy
from pathlib import Path

import torch

from tutor.judge.cases import pipelines, tiny_lm, training
from tutor.judge.cases.training import FOLDED
from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
ALLOWED = ("send", "recv", "reduce_scatter", "all_gather")
UNIT = 32 * 2.0**-52  # the judge's bound of a number whose scale is 1
TEXT = tiny_lm.held_out()


def reference(world, stages, codes):
    return computed(world, stages, tuple(codes.shape), codes.numpy().tobytes()).clone()


def batches_of(codes, replicas):
    """What all replicas together read in each step: the first stages' text, the last ones' targets."""
    read = codes[-replicas:].clone()
    read[..., 0] = codes[:replicas, ..., 0]
    return [read[:, step].flatten(0, 2) for step in range(codes.shape[1])]


@functools.lru_cache(maxsize=16)
@training.one_thread()
def computed(world, stages, shape, text):
    """The row of each rank: how the weights change, what 1F1B does, and what is held."""
    codes = torch.frombuffer(bytearray(text), dtype=torch.int64).view(shape)
    replicas, (_, _, count, rows, length) = world // stages, shape
    out = []
    whole = training.train_alone(stages, batches_of(codes, replicas))
    for rank in range(world):
        at = rank // replicas
        stage = training.Stage(at, stages)
        stage.load(codes[rank, -1])
        stage.order = training.order_1f1b(at, stages, count)
        saved = training.count_saved(at, stages, rows, length - 1)
        stage.most_saved = min(stages - at, count) * saved
        stage.held = 2 * -(-len(stage.weights) // replicas)
        out.append(training.report(stage, whole[at][1]))
    return torch.stack(out)


eager = reference


def scale(world, stages, codes):
    want = reference(world, stages, codes)
    sizes = torch.full_like(want, 1e-6 / UNIT)
    sizes[:, :FOLDED] *= want[:, :FOLDED].abs().max()
    sizes[:, -1] = 2 * (world // stages) / UNIT  # of the padding no state need be held
    return sizes


def work(world, stages, codes):
    return Work(bytes=8 * codes.numel() + 1_000_000, flops=codes.numel())


def handed(stage, world, stages):
    """Bytes that a rank of the stage hands to the two collectives in a step."""
    replicas = world // stages
    share = -(-training.count_weights(stages)[stage] // replicas)
    return [8 * replicas * share, 8 * share] if replicas > 1 else []


def most_sent(world, stages, codes):
    _, steps, count, rows, length = codes.shape
    message = 8 * count * rows * (length - 1) * tiny_lm.SHAPES["target"].width
    most = max(
        message * ((s > 0) + (s < stages - 1)) + sum(handed(s, world, stages))
        for s in range(stages)
    )
    return int(1.05 * steps * most)


def check_calls(calls, world, stages, codes):
    """Say which rank calls more collectives, or with more bytes, than was planned."""
    steps = codes.shape[1]
    for rank, row in enumerate(calls):
        asked = handed(rank // (world // stages), world, stages)
        if len(row) > steps * len(asked):
            return (
                f"rank {rank} calls {len(row)} collectives in {steps} steps; "
                f"{steps * len(asked)} are enough"
            )
        most = 1.05 * steps * sum(asked)
        if sum(call[1] for call in row) > most:
            told = sum(call[1] for call in row)
            return f"rank {rank} hands {told:,} bytes to collectives; {most:,.0f} are enough"
    return None


@training.one_thread()
def find_slip(got, world, stages, codes):
    """Say of which other gradients these weights are; "" if of none that is known."""
    replicas, count = world // stages, codes.shape[2]
    sums = "the replicas, or over the microbatches" if replicas == count else "the replicas"
    for times, clear, what in (
        (replicas, True, f"They are those of gradients that are summed over {sums}."),
        (count, True, "They are those of gradients that are summed over the microbatches."),
        (replicas * count, True, "They are those of gradients that are summed, without a mean."),
        (1, False, "They are those of gradients that are not cleared after a step."),
    ):
        ways = training.train_alone(stages, batches_of(codes, replicas), times, clear)
        rows = [training.fold(ways[rank // replicas][1]) for rank in range(world)]
        off = (got[:, :FOLDED] - torch.stack(rows)).abs().max()
        if off < 1e-6 * torch.stack(rows).abs().max():
            return what
    return ""


def explain_wrong(got, world, stages, codes):
    """Say which call comes at another place, what is held too much, or whose weights are others."""
    want = reference(world, stages, codes)
    order = FOLDED + 2 * codes.shape[2]
    replicas = world // stages
    for rank in range(world):
        mine, asked = (each[rank, FOLDED:order].int().tolist() for each in (got, want))
        for place, (one, other) in enumerate(zip(mine, asked, strict=True)):
            if one != other:
                return (
                    f"In the last step rank {rank}, stage {rank // replicas}, does "
                    f"{training.tell_call(one) or 'nothing'} as its call {place + 1}, and in 1F1B "
                    f"it is {training.tell_call(other)} (F: forward, B: backward)."
                )
        held, asked = int(got[rank, -1]), int(want[rank, -1])
        if abs(held - asked) > 2 * replicas:
            return f"Rank {rank} holds {held:,} numbers of Adam's state, and {asked:,} are due."
    size = want[:, :FOLDED].abs().max()
    off = (~((got - want)[:, :FOLDED].abs() <= 1e-6 * size)).sum(1).tolist()  # NaN too
    wrong = [str(rank) for rank, count in enumerate(off) if count]
    if not wrong:
        return None
    told = f"The order is right. The weights of rank {' and '.join(wrong)} are others."
    return f"{told} {found}" if (found := find_slip(got, world, stages, codes)) else told


def check_found(found):
    return ("wrong-values", found["broken"]) if found["broken"] else None


def figures(found):
    """What was measured in the project's own run, by the names of the plan."""
    run, steps = training.PROJECT, PROBE["STEPS"]
    orders = [
        [training.tell_call(int(each)) for each in row[:-2]]
        for row in found["noted"][:: run.replicas]
    ]
    ran = pipelines.run_orders(orders, pipelines.Pipe(run.stages, run.microbatches))
    return {
        "steps of time": f"{ran.time:,.0f}",
        "idle share": f"{ran.bubble_of_time:.2f}",
        "microbatches alive": f"{max(ran.alive)}",
        "bytes of activations": f"{max(row[-2] for row in found['noted']):,.0f}",
        "bytes of Adam's state": f"{8 * max(row[-1] for row in found['noted']):,.0f}",
        "messages": f"{max(found['messages']) / steps:,.0f}",
        "bytes sent": f"{max(found['sent']) / steps:,.0f}",
    }


def drawn(stages, replicas, steps, count, rows, tokens):
    """Real text: a replica's first stage has what is read, and the last one what is to be predicted.
    All else is letters by dice."""

    def make(g):
        world = stages * replicas
        codes = torch.randint(0, 96, (world, steps, count, rows, tokens + 1), generator=g)
        number = replicas * steps * count * rows
        starts = torch.randint(0, len(TEXT) - tokens - 1, (number,), generator=g)
        windows = torch.stack([TEXT[at : at + tokens + 1] for at in starts.tolist()])
        read = windows.view(replicas, steps, count, rows, tokens + 1)
        codes[:replicas, ..., :-1], codes[-replicas:, ..., 1:] = read[..., :-1], read[..., 1:]
        return world, stages, codes

    return make


CASES = (
    Case("one rank", drawn(1, 1, 1, 2, 1, 5)),
    Case("two stages, one replica, three microbatches", drawn(2, 1, 1, 3, 1, 5)),
    Case("three stages, one replica, one microbatch", drawn(3, 1, 1, 1, 1, 4)),
    Case("one stage, two replicas", drawn(1, 2, 2, 2, 1, 6)),
    Case("two stages, two replicas", drawn(2, 2, 2, 4, 1, 6)),
    Case("one stage, three replicas, one microbatch of two rows", drawn(1, 3, 1, 1, 2, 4)),
)
