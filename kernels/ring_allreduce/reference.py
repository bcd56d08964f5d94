import torch

from tutor.judge.spec import Case, Work

ALLOWED = ("send", "recv")


def reference(world, x):
    return x.sum(0, keepdim=True).expand(world, -1).contiguous()


eager = reference


def work(world, x):
    return Work(bytes=2 * x.nbytes, flops=x.numel())


def scale(world, x):
    return x.abs().sum(0, keepdim=True).expand(world, -1)


def receivers(rank, world):
    return {(rank + 1) % world}


def most_sent(world, x):
    part = -(-x.shape[1] // world)
    return 2 * (world - 1) * part * x.element_size()


def most_rounds(world, x):
    return 2 * (world - 1)


def after_steps(world, x, steps):
    """What each rank holds after so many steps of the ring."""
    ranks = [list(row.tensor_split(world)) for row in x]
    for step in range(steps):
        sent = [ranks[r][(r - step) % world] for r in range(world)]
        for r in range(world):
            taken = (r - step - 1) % world
            got = sent[(r - 1) % world]
            ranks[r][taken] = ranks[r][taken] + got if step < world - 1 else got
    return torch.stack([torch.cat(parts) for parts in ranks])


NEAR_MISSES = (
    ("each rank keeps its own vector", lambda world, x: x),
    ("the sum is divided by the number of ranks", lambda world, x: reference(world, x) / world),
    ("one step is made", lambda world, x: after_steps(world, x, 1)),
    (
        "the last step of the second half is missing",
        lambda world, x: after_steps(world, x, 2 * (world - 1) - 1),
    ),
    (
        "only the first half is made, in which the parts are added up",
        lambda world, x: after_steps(world, x, world - 1),
    ),
    (
        "the last step of the first half is missing",
        lambda world, x: after_steps(world, x, world - 2),
    ),
)


def explain_wrong(got, world, x):
    want = reference(world, x)
    rounding = x.abs().sum(0) * (torch.finfo(x.dtype).eps if x.is_floating_point() else 0)
    far = (got.to(want.dtype) - want).abs()
    right = [bool((far[r] <= 4 * rounding).all()) for r in range(world)]
    off = [r for r in range(world) if not bool((far[r] <= 1000 * rounding).all())]
    if not off or len(off) + sum(right) < world or not any(right):
        return None
    ranks = "Rank {} is" if len(off) == 1 else "Ranks {} are"
    return f"{ranks.format(', '.join(map(str, off)))} wrong, and the others right."


def drawn(world, n, dtype=torch.float32):
    def make(g):
        if dtype == torch.int64:
            return world, torch.randint(-(2**60), 2**60, (world, n), generator=g, dtype=dtype)
        return world, torch.randn(world, n, generator=g, dtype=dtype)

    return make


CASES = (
    Case("3 ranks, 7 numbers", drawn(3, 7)),
    Case("2 ranks, 5 numbers, float64", drawn(2, 5, torch.float64)),
    Case("4 ranks, 6 numbers, int64", drawn(4, 6, torch.int64)),
    Case("3 ranks, 1 number", drawn(3, 1)),
    Case("1 rank", drawn(1, 4)),
    Case("3 ranks, 1,000 numbers", drawn(3, 1000)),
)
