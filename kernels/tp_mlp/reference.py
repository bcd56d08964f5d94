import torch

from tutor.judge.spec import Case, Work

ALLOWED = ("all_reduce",)


def reference(world, x, w1, b1, w2, b2, target):
    return computed(world, x, w1, b1, w2, b2, target)


def computed(world, x, w1, b1, w2, b2, target, change=""):
    """The six results by rank, from the ranks' parts. `change` names a mistake."""
    hidden = torch.tanh(x @ w1.mT + b1[:, None])  # [world, n, k]
    parts = hidden @ w2.mT
    whole = parts.sum(0, keepdim=True).expand(world, -1, -1)
    if change == "no sum of y":
        whole = parts
    elif change == "mean of y":
        whole = whole / world
    elif change == "tanh of the sum":
        whole = torch.tanh(whole)
    bias = b2[:, None]
    y = whole + bias * (world if change == "bias" else change != "no bias")
    dy = y - target
    if change == "own part":
        dy = parts + bias - target
    elif change == "no factor":
        dy = 2 * dy
    db2 = dy.sum(1)
    if change in ("world", "world, own dx"):
        dy = dy * world
    dh = (dy @ w2) * (1 - hidden**2)
    if change == "no tanh":
        dh = dy @ w2
    dx = dh @ w1
    if change == "mean of dx":
        dx = dx.mean(0, keepdim=True)
    elif change not in ("no sum of dx", "world, own dx"):
        dx = dx.sum(0, keepdim=True)
    dw1, db1, dw2 = dh.mT @ x, dh.sum(1), dy.mT @ hidden
    if change == "by world":
        dw1, db1, dw2 = dw1 / world, db1 / world, dw2 / world
    if change == "b2":
        db2 = db2.sum(0, keepdim=True)
    if change == "weights":
        dw1, dw2 = (each.sum(0, keepdim=True) for each in (dw1, dw2))
    y, dx, dw1, dw2 = (each.expand(world, -1, -1) for each in (y, dx, dw1, dw2))
    return joined(y, dx, dw1, db1, dw2, db2.expand(world, -1))


def joined(*results):
    """Join six results of each rank, flattened."""
    return torch.cat([each.flatten(1) for each in results], 1)


eager = reference


def scale(world, x, w1, b1, w2, b2, target):
    """The same with magnitudes: |tanh| and its derivative are at most 1."""
    hidden = torch.ones(world, x.shape[1], w1.shape[1], dtype=x.dtype)
    y = (hidden @ w2.abs().mT).sum(0, keepdim=True).expand(world, -1, -1) + b2.abs()[:, None]
    dy = y + target.abs()
    dh = dy @ w2.abs() * (1 + x.abs() @ w1.abs().mT)
    dx = (dh @ w1.abs()).sum(0, keepdim=True).expand(world, -1, -1)
    return joined(y, dx, dh.mT @ x.abs(), dh.sum(1), dy.mT @ hidden, dy.sum(1))


def by_mistake(change):
    return lambda *args: computed(*args, change)


NEAR_MISSES = (
    ("every rank adds the bias", by_mistake("bias")),
    ("nobody adds the bias", by_mistake("no bias")),
    ("y is the mean of the ranks' parts, and not their sum", by_mistake("mean of y")),
    ("the ranks' parts of y are not summed", by_mistake("no sum of y")),
    ("tanh is taken of the sum, too", by_mistake("tanh of the sum")),
    ("the ranks' gradients by x are not summed", by_mistake("no sum of dx")),
    ("the gradient by x is the mean of the ranks'", by_mistake("mean of dx")),
    ("the gradient by y is taken before the ranks' parts are summed", by_mistake("own part")),
    ("the gradient by y is summed over the ranks, which all have it whole", by_mistake("world")),
    (
        "the gradient by y is summed over the ranks, and those by x are not",
        by_mistake("world, own dx"),
    ),
    ("the gradients by weights are divided by the number of ranks", by_mistake("by world")),
    ("the loss is not halved", by_mistake("no factor")),
    ("the gradient does not pass through tanh", by_mistake("no tanh")),
    ("the gradient by b2 is summed over the ranks, which all have it whole", by_mistake("b2")),
    ("gradients by weights are summed over ranks that have other weights", by_mistake("weights")),
)

NAMES = ("y", *(f"the gradient by {name}" for name in ("x", "w1", "b1", "w2", "b2")))


def explain_wrong(got, world, x, w1, b1, w2, b2, target):
    """Say which of the six results are wrong, and on which ranks."""
    args = world, *(each.double() for each in (x, w1, b1, w2, b2, target))
    sizes = [each[0].numel() for each in (x, x, w1, b1, w2, b2)]
    off = ~((got.double() - computed(*args)).abs() <= 1e-4 * (1 + scale(*args)))  # NaN too
    wrong = [name for name, part in zip(NAMES, off.split(sizes, 1), strict=True) if part.any()]
    if not wrong or len(wrong) == len(NAMES):
        return None
    ranks = [str(rank) for rank in range(world) if off[rank].any()]
    where = "" if len(ranks) == world else f" (rank {', '.join(ranks)})"
    told = " and ".join((", ".join(wrong[:-1]), wrong[-1]) if wrong[1:] else wrong)
    return f"Of the six results {told} {'is' if len(wrong) == 1 else 'are'} wrong{where}."


def same(*tensors):
    """Tell whether each of these is the same on all ranks."""
    return all(bool((each == each[:1]).all()) for each in tensors)


PROMISED = (
    (
        "are whole and the same on all ranks",
        lambda world, x, w1, b1, w2, b2, target: same(x, target, b2),
    ),
)


def most_sent(world, x, w1, b1, w2, b2, target):
    return 2 * x[0].numel() * x.element_size()


def most_calls(world, *rest):
    return 2


def work(world, x, w1, b1, w2, b2, target):
    total = sum(each.numel() for each in (x, w1, b1, w2, b2, target))
    return Work(
        bytes=2 * x.element_size() * total, flops=6 * x.shape[1] * (w1.numel() + w2.numel())
    )


def drawn(world, n, d, k, dtype=torch.float32):
    """Inputs of a rank in each row; what is whole is the same in all."""

    def make(g):
        def numbers(rows, *shape):
            made = torch.randn(rows, *shape, generator=g, dtype=torch.float64)
            return made.to(dtype).expand(world, *shape).clone()

        x, target, b2 = numbers(1, n, d), numbers(1, n, d), numbers(1, d)
        w1, b1, w2 = numbers(world, k, d) / d**0.5, numbers(world, k), numbers(world, d, k)
        return world, x, w1, b1, w2, b2, target

    return make


CASES = (
    Case("2 ranks", drawn(2, 3, 4, 3)),
    Case("4 ranks", drawn(4, 3, 5, 2)),
    Case("3 ranks, float64", drawn(3, 2, 3, 4, torch.float64)),
    Case("2 ranks, 1 token", drawn(2, 1, 6, 2)),
    Case("2 ranks, 1 hidden unit each", drawn(2, 5, 2, 1)),
    Case("1 rank", drawn(1, 2, 3, 4)),
)
