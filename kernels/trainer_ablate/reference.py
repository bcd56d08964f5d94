import functools
import itertools
import runpy
from pathlib import Path

import torch

from tutor.judge.cases import pipelines, tiny_lm, training
from tutor.judge.cases.training import FOLDED
from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
ALLOWED = ("send", "recv", "reduce_scatter", "all_gather", "all_reduce")
UNIT = 32 * 2.0**-52  # the judge's bound of a number whose scale is 1
TEXT = tiny_lm.held_out()


def reference(world, stages, codes, *switches):
    return computed(world, stages, tuple(codes.shape), codes.numpy().tobytes(), switches).clone()


def order_of(stage, stages, count, one_f_one_b):
    if one_f_one_b:
        return training.order_1f1b(stage, stages, count)
    return [*range(1, count + 1), *range(-1, -count - 1, -1)]


@functools.lru_cache(maxsize=16)
@training.one_thread()
def computed(world, stages, shape, text, switches):
    """The row of each rank: how the weights change, the order, and what is held."""
    one_f_one_b, sharded, _ = switches
    codes = torch.frombuffer(bytearray(text), dtype=torch.int64).view(shape)
    replicas, (_, steps, count, rows, length) = world // stages, shape
    read = codes[-replicas:].clone()
    read[..., 0] = codes[:replicas, ..., 0]
    batches = [read[:, step].flatten(0, 2) for step in range(steps)]
    out = []
    whole = training.train_alone(stages, batches)
    for rank in range(world):
        at = rank // replicas
        stage = training.Stage(at, stages)
        stage.load(codes[rank, -1])
        stage.order = order_of(at, stages, count, one_f_one_b)
        saved = training.count_saved(at, stages, rows, length - 1)
        stage.most_saved = (min(stages - at, count) if one_f_one_b else count) * saved
        stage.held = 2 * -(-len(stage.weights) // (replicas if sharded else 1))
        out.append(training.report(stage, whole[at][1]))
    return torch.stack(out)


eager = reference


def scale(world, stages, codes, *switches):
    want = reference(world, stages, codes, *switches)
    sizes = torch.full_like(want, 1e-6 / UNIT)
    sizes[:, :FOLDED] *= want[:, :FOLDED].abs().max()
    sizes[:, -1] = 2 * (world // stages) / UNIT  # of the padding no state need be held
    return sizes


def work(world, stages, codes, *switches):
    return Work(bytes=8 * codes.numel() + 1_000_000, flops=codes.numel())


def planned(stage, world, stages, count, sharded, once):
    """The collectives of a rank of the stage in a step: names and bytes."""
    replicas = world // stages
    if replicas == 1:
        return []
    n = training.count_weights(stages)[stage]
    share, times = -(-n // replicas), 1 if once else count
    if not sharded:
        return [("all_reduce", 8 * n)] * times
    return [("reduce_scatter", 8 * replicas * share)] * times + [("all_gather", 8 * share)]


def check_calls(calls, world, stages, codes, one_f_one_b, sharded, once):
    """Say which rank calls other collectives than the switches ask for."""
    _, steps, count, _, _ = codes.shape
    for rank, row in enumerate(calls):
        asked = planned(rank // (world // stages), world, stages, count, sharded, once) * steps
        names = [name for name, *_ in row], [name for name, *_ in asked]
        told = f"with sharded = {sharded} and once = {once} rank {rank}"
        if names[0] != names[1]:
            return f"{told} calls {listed(names[0])}, and has to call {listed(names[1])}"
        for name, mine, most in zip(*names[:1], row, asked, strict=True):
            if abs(mine[1] - most[1]) > 0.05 * most[1]:
                return f"{told} hands {mine[1]:,} bytes to {name}, and not {most[1]:,}"
        exchanges = [backwards for name, _, _, backwards in row if name != "all_gather"]
        for number, backwards in enumerate([] if once else exchanges):
            if backwards != number + 1:
                at, i = divmod(number, count)
                return (
                    f"{told} begins exchange {i + 1} of step {at + 1} after "
                    f"{backwards - at * count} backwards of the step: each is due after its own "
                    "backward, before the next one"
                )
    return None


def listed(names):
    """`2 × all_reduce, all_gather`"""
    groups = [(name, len(list(same))) for name, same in itertools.groupby(names)]
    return ", ".join(f"{n} × {name}" if n > 1 else name for name, n in groups) or "none"


def explain_wrong(got, world, stages, codes, *switches):
    """Say which call comes at another place, what is held too much, or whose weights are others."""
    want = reference(world, stages, codes, *switches)
    order = FOLDED + 2 * codes.shape[2]
    replicas = world // stages
    for rank in range(world):
        mine, asked = (each[rank, FOLDED:order].int().tolist() for each in (got, want))
        for place, (one, other) in enumerate(zip(mine, asked, strict=True)):
            if one != other:
                return (
                    f"With one_f_one_b = {switches[0]} rank {rank}, stage {rank // replicas}, does "
                    f"{training.tell_call(one) or 'nothing'} as call {place + 1} of the last step, "
                    f"and {training.tell_call(other)} is due (F: forward, B: backward)."
                )
        held, asked = int(got[rank, -1]), int(want[rank, -1])
        if abs(held - asked) > 2 * replicas:
            return (
                f"With sharded = {switches[1]} rank {rank} holds {held:,} numbers of Adam's state, "
                f"and {asked:,} are due."
            )
    size = want[:, :FOLDED].abs().max()
    off = (~((got - want)[:, :FOLDED].abs() <= 1e-6 * size)).sum(1).tolist()  # NaN too
    wrong = [str(rank) for rank, count in enumerate(off) if count]
    if not wrong:
        return None
    return f"The order is right. The weights of rank {' and '.join(wrong)} are others."


def measured(run):
    """What the fullest and the busiest rank hold and send in a step of the project's own run."""
    sizes = training.count_weights(training.PROJECT.stages)
    fixed = [16 * n for n in sizes for _ in range(training.PROJECT.replicas)]
    rows = list(zip(fixed, run["noted"], strict=True))
    return {
        "bytes of activations": max(row[-2] for _, row in rows),
        "bytes of Adam's state": max(8 * row[-1] for _, row in rows),
        "bytes held": max(own + row[-2] + 8 * row[-1] for own, row in rows),
        "bytes sent": max(run["sent"]) / PROBE["STEPS"],
        "on the wire": max(
            sent - sum(size for _, size in calls) + on_the_wire(calls)
            for sent, calls in zip(run["sent"], run["calls"], strict=True)
        )
        / PROBE["STEPS"],
        "messages": max(run["messages"]) / PROBE["STEPS"],
    }


def on_the_wire(calls):
    """Bytes that a rank sends for its collectives, if a ring does them."""
    replicas = training.PROJECT.replicas
    passed = (replicas - 1) / replicas  # of a vector, by each rank
    times = {"all_reduce": 2 * passed, "reduce_scatter": passed, "all_gather": replicas - 1}
    return sum(times.get(name, 1) * size for name, size in calls)


CHANGES = {  # what a switch is for
    "one_f_one_b": "bytes of activations",
    "sharded": "bytes of Adam's state",
    "once": "bytes sent",
}


def check_found(found):
    """(code, sentence) where a switch changes nothing of what it is for, or results, else None."""
    if found["broken"]:
        return "wrong-values", found["broken"]
    all_on = measured(found["runs"]["nothing"])
    for switch, name in CHANGES.items():
        off = measured(found["runs"][switch])
        if found["runs"][switch]["off"] > 1e-6:
            return "wrong-values", f"In the project's own run {switch} changes the weights."
        if all_on[name] >= off[name] or all_on["bytes held"] > off["bytes held"]:
            return (
                "wrong-values",
                f"In the project's own run the {name} are {off[name]:,.0f} without {switch}, and "
                f"{all_on[name]:,.0f} with all on: nothing is won.",
            )
    return None


def figures(found):
    """The table of what was switched off, and what was measured with all on."""
    run = training.PROJECT
    columns = (
        "bytes held",
        "bytes of activations",
        "bytes of Adam's state",
        "bytes sent",
        "on the wire",
    )
    out = {"switched off": " | ".join(columns)}
    for switch, ran in found["runs"].items():
        numbers = measured(ran)
        out[switch] = " | ".join(f"{numbers[name]:,.0f}" for name in columns)
    all_on = found["runs"]["nothing"]
    orders = [
        [training.tell_call(int(each)) for each in row[:-2]]
        for row in all_on["noted"][:: run.replicas]
    ]
    ran = pipelines.run_orders(orders, pipelines.Pipe(run.stages, run.microbatches))
    return out | {
        "steps of time": f"{ran.time:,.0f}",
        "idle share": f"{ran.bubble_of_time:.2f}",
        "microbatches alive": f"{max(ran.alive)}",
        **{
            name: f"{number:,.0f}"
            for name, number in measured(all_on).items()
            if name not in ("bytes held", "on the wire")
        },
    }


def drawn(stages, replicas, steps, count, tokens, *switches):
    """Real text: a replica's first stage has what is read, and the last one what is to be predicted.
    All else is letters by dice."""

    def make(g):
        world = stages * replicas
        codes = torch.randint(0, 96, (world, steps, count, 1, tokens + 1), generator=g)
        number = replicas * steps * count
        starts = torch.randint(0, len(TEXT) - tokens - 1, (number,), generator=g)
        windows = torch.stack([TEXT[at : at + tokens + 1] for at in starts.tolist()])
        read = windows.view(replicas, steps, count, 1, tokens + 1)
        codes[:replicas, ..., :-1], codes[-replicas:, ..., 1:] = read[..., :-1], read[..., 1:]
        return world, stages, codes, *switches

    return make


CASES = (
    Case("all on", drawn(2, 2, 1, 3, 4, True, True, True)),
    Case("one_f_one_b off, two stages", drawn(2, 1, 1, 3, 4, False, True, True)),
    Case("sharded off, three replicas", drawn(1, 3, 1, 2, 4, True, False, True)),
    Case("once off, two replicas", drawn(1, 2, 2, 3, 5, True, True, False)),
    Case("sharded and once off, two replicas", drawn(1, 2, 2, 2, 5, True, False, False)),
    Case("all off", drawn(2, 2, 1, 3, 4, False, False, False)),
)
