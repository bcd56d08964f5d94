import functools

import torch

from tutor.judge.cases import tiny_lm, training
from tutor.judge.cases.training import FOLDED
from tutor.judge.spec import Case, Work

ALLOWED = ("send", "recv")
OFF = 1e-9 / (32 * 2.0**-52)  # times a size: the judge's bound is 1e-9 of it
TEXT = tiny_lm.held_out()


def reference(world, codes):
    text = codes[-1].clone()
    text[..., 0] = codes[0, ..., 0]
    return computed(world, tuple(text.shape), text.numpy().tobytes()).clone()


@functools.lru_cache(maxsize=16)
@training.one_thread()
def computed(world, shape, text):
    """The row of each rank: the mean gradient, and what 1F1B does and holds."""
    codes = torch.frombuffer(bytearray(text), dtype=torch.int64).view(shape)
    count, rows, length = shape
    out = []
    whole = training.train_alone(world, [codes.flatten(0, 1)])
    for rank, (gradient, _) in enumerate(whole):
        stage = training.Stage(rank, world)
        stage.load(codes)
        stage.order = training.order_1f1b(rank, world, count)
        saved = training.count_saved(rank, world, rows, length - 1)
        stage.most_saved = min(world - rank, count) * saved
        out.append(training.report(stage, gradient))
    return torch.stack(out)


eager = reference


def scale(world, codes):
    want = reference(world, codes)
    sizes = torch.full_like(want, OFF)
    sizes[:, :FOLDED] *= want[:, :FOLDED].abs().max()
    return sizes


def work(world, codes):
    return Work(bytes=8 * codes.numel() + 1_000_000, flops=codes.numel())


def most_sent(world, codes):
    _, count, rows, length = codes.shape
    return min(2, world - 1) * count * rows * (length - 1) * 96 * 8


def explain_wrong(got, world, codes):
    """Say which call comes at another place than in 1F1B, or what the gradient is instead."""
    want = reference(world, codes)
    end = FOLDED + 2 * codes.shape[1]
    for rank in range(world):
        mine, asked = (each[rank, FOLDED:end].int().tolist() for each in (got, want))
        for place, (one, other) in enumerate(zip(mine, asked, strict=True)):
            if one != other:
                alive, most = set(), 0
                for what in mine:
                    alive = alive | {what} if what > 0 else alive - {-what}
                    most = max(most, len(alive))
                enough = min(world - rank, codes.shape[1])
                held = f" It keeps {most} microbatches at once; {enough} are enough."
                return (
                    f"Stage {rank} does {training.tell_call(one) or 'nothing'} as its call "
                    f"{place + 1}, and in 1F1B it is {training.tell_call(other)} (F: forward, B: "
                    f"backward).{held if most > enough else ''}"
                )
    count = codes.shape[1]
    for rank in range(world):
        mine, asked = got[rank, :FOLDED], want[rank, :FOLDED]
        size = asked.abs().max()
        if (mine - asked).abs().max() < 1e-9 * size:
            continue
        if count > 1 and (mine - count * asked).abs().max() < 1e-6 * size:
            return (
                f"The gradient of stage {rank} is {count} times the mean: that is the sum over the "
                f"{count} microbatches."
            )
        return f"The order is right, and the gradient of stage {rank} is another one."
    return None


def text(world, count, rows, tokens):
    """Real text: the first rank has what is read, and the last one what is to be predicted. All else
    is letters by dice."""

    def make(g):
        starts = torch.randint(0, len(TEXT) - tokens - 1, (count * rows,), generator=g)
        windows = torch.stack([TEXT[at : at + tokens + 1] for at in starts.tolist()])
        codes = torch.randint(0, 96, (world, count, rows, tokens + 1), generator=g)
        windows = windows.view(count, rows, tokens + 1)
        codes[0, ..., :-1], codes[-1, ..., 1:] = windows[..., :-1], windows[..., 1:]
        return world, codes

    return make


CASES = (
    Case("two stages, four microbatches", text(2, 4, 1, 8)),
    Case("three stages, five microbatches", text(3, 5, 1, 6)),
    Case("four stages, two microbatches", text(4, 2, 1, 7)),
    Case("four stages, six microbatches", text(4, 6, 1, 5)),
    Case("two stages, one microbatch of three rows", text(2, 1, 3, 6)),
    Case("three stages, three microbatches of two rows", text(3, 3, 2, 4)),
)
