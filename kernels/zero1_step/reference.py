import torch

from tutor.judge.spec import Case, Work

ALLOWED = ("reduce_scatter", "all_gather")


def padded(row, world, part):
    return torch.cat([row, row.new_zeros(world * part - row.numel())])


def step(world, weights, grads, momentum, lr, beta, change=""):
    """What each rank returns: [world, n + part]. `change` names a mistake."""
    n, part = weights.shape[1], momentum.shape[1]
    mean = padded(grads.sum(0), world, part) / (1 if change == "sum" else world)
    rows = [padded(row, world, part) for row in weights]
    whole = torch.cat([rows[k][k * part : (k + 1) * part] for k in range(world)])
    new, moved = [], []  # of each part
    for rank in range(world):
        here = slice(rank * part, (rank + 1) * part)
        g = padded(grads[rank], world, part)[here] if change == "own" else mean[here]
        before = momentum[rank]
        after = beta * before + (1 - beta if change == "damped" else 1) * g
        if change == "no beta":
            after = before + g
        walk = {"plain": g, "nesterov": g + beta * after}.get(change, after)
        if change == "old momentum moves":
            walk = before
        new.append(whole[here] + (lr if change == "uphill" else -lr) * walk)
        moved.append(before if change == "momentum stays" else after)
    outs = []
    for rank in range(world):
        order = (
            range(world)
            if change != "my part first"
            else [(rank + k) % world for k in range(world)]
        )
        out = torch.cat([new[k] for k in order])[:n]
        if change == "not gathered":
            out = rows[rank].clone()
            out[rank * part : (rank + 1) * part] = new[rank]
            out = out[:n]
        if change == "old parts moved":
            out = (rows[rank] - lr * torch.cat(moved))[:n]
        outs.append(torch.cat([out, moved[rank]]))
    return torch.stack(outs)


def reference(world, weights, grads, momentum, lr, beta):
    return step(world, weights, grads, momentum, lr, beta)


eager = reference


def by_mistake(change):
    return lambda *args: step(*args, change)


NEAR_MISSES = (
    ("the gradients are added, and not divided by the number of ranks", by_mistake("sum")),
    ("each rank takes its own gradients for its part", by_mistake("own")),
    ("the gradient is multiplied by 1 - beta", by_mistake("damped")),
    ("the old momentum is not multiplied by beta", by_mistake("no beta")),
    ("the weights move by the gradient, and not by the momentum", by_mistake("plain")),
    ("the weights move by the old momentum", by_mistake("old momentum moves")),
    ("the weights move as Nesterov's momentum has it", by_mistake("nesterov")),
    ("the weights move up the gradient", by_mistake("uphill")),
    ("the momentum stays as it was", by_mistake("momentum stays")),
    (
        "each rank moves all weights, those too that are old there",
        by_mistake("old parts moved"),
    ),
    ("each rank begins with its own part", by_mistake("my part first")),
    ("each rank changes its own part of the weights alone", by_mistake("not gathered")),
)


def scale(world, weights, grads, momentum, lr, beta):
    n, part = weights.shape[1], momentum.shape[1]
    g = padded(grads.abs().mean(0), world, part)
    rows = []
    for rank in range(world):
        rows.append(momentum[rank].abs() + g[rank * part : (rank + 1) * part])
    walk = torch.cat(rows)[:n]
    out = weights.abs().amax(0) + lr * walk
    return torch.stack([torch.cat([out, row]) for row in rows]).clamp(min=1e-3)


def work(world, weights, grads, momentum, lr, beta):
    return Work(
        bytes=2 * (weights.nbytes + grads.nbytes + momentum.nbytes), flops=4 * grads.numel()
    )


def most_sent(world, weights, grads, momentum, lr, beta):
    """All gradients to the reduce-scatter, and a part of the weights to the all-gather."""
    return (world + 1) * momentum.shape[1] * 4


def most_calls(world, weights, grads, momentum, lr, beta):
    return 2


def check_calls(calls, world, *args):
    for rank, row in enumerate(calls):
        names = sorted(name for name, *_ in row)
        if names != ["all_gather", "reduce_scatter"]:
            return f"Rank {rank} calls {' and '.join(names) or 'nothing'}."
    return None


def draw(world, n, lr=0.1, beta=0.9, first=False):
    def make(g):
        part = -(-n // world)
        weights = torch.randn(world, n, generator=g)  # old but for the rank's own part
        grads = torch.randn(world, n, generator=g)
        momentum = torch.zeros(world, part) if first else torch.randn(world, part, generator=g)
        for rank in range(world):  # padding has no momentum
            momentum[rank, max(0, n - rank * part) :] = 0.0
        return world, weights, grads, momentum, lr, beta

    return make


CASES = (
    Case("2 ranks, 6 weights", draw(2, 6)),
    Case("3 ranks, 7 weights: parts of 3", draw(3, 7, lr=0.03, beta=0.8)),
    Case("the first step, no momentum yet", draw(2, 9, lr=0.5, first=True)),
    Case("4 ranks, 5 weights: the last part is all padding", draw(4, 5, beta=0.5)),
    Case("1 rank", draw(1, 5, lr=0.2)),
    Case("2 ranks, 1,001 weights", draw(2, 1001, lr=0.01, beta=0.95)),
)
