import torch

from tutor.judge.spec import Case, Work


def counted(layers, world, ahead, change=""):
    """Bytes of a rank by stage. `change` names a mistake."""
    sizes = [int(size) for size in layers]
    whole = sum(sizes)
    part = sum(-(-size // world) for size in sizes)
    if change == "rounded down":
        part = sum(size // world for size in sizes)
    if change == "all in one":
        part = -(-whole // world)
    weight = 4 if change == "weights in float32" else 2
    grad = 4 if change == "gradients in float32" else 2
    state = 8 if change == "no copy" else 12
    moments = []
    for i, size in enumerate(sizes):
        if change == "ahead in forward":
            gathered = sum(sizes[i : i + ahead + 1])
        elif change == "no ahead":
            gathered = size
        elif change == "other end":
            gathered = sum(sizes[i - ahead : i + 1])
        elif change == "not gathered":
            gathered = 0
        else:
            gathered = sum(sizes[max(0, i - ahead) : i + 1])
        none = change in ("no whole gradient", "no whole gradient at 3")
        moments.append(2 * gathered + (0 if none else 2 * size))
    both = max(moments)
    if change == "largest for both":
        both = (4 + 2 * ahead) * max(sizes)
    none = change in ("no whole gradient", "no whole gradient at 2")
    largest = 0 if none else 2 * max(sizes)
    rows = [
        [weight * whole, grad * whole, state * whole, 0],
        [weight * whole, grad * whole, state * part, 0],
        [weight * whole, grad * part, state * part, largest],
        [weight * part, grad * part, state * part, both],
    ]
    if change == "swapped":
        rows[1], rows[2] = (
            [weight * whole, grad * part, state * whole, 0],
            [weight * whole, grad * part, state * part, largest],
        )
    if change == "from stage 2":
        rows[1] = rows[0]
    if change == "on top is less":
        rows[3][3] -= 2 * part
    out = torch.tensor(rows, dtype=torch.int64)
    return (out + 2**31) % 2**32 - 2**31 if change == "32 bits" else out


def reference(layers, world, ahead):
    return counted(layers, world, ahead)


eager = reference


def by_mistake(change):
    return lambda layers, world, ahead: counted(layers, world, ahead, change)


NEAR_MISSES = (
    ("the weights take 4 bytes a parameter", by_mistake("weights in float32")),
    ("the gradients take 4 bytes a parameter", by_mistake("gradients in float32")),
    ("the optimizer keeps no copy of the weights in float32", by_mistake("no copy")),
    ("stage 1 shares the gradients out, and not the optimizer's state", by_mistake("swapped")),
    ("the parts of a layer are rounded down", by_mistake("rounded down")),
    ("all layers are shared out as one", by_mistake("all in one")),
    ("the layers behind are gathered ahead, as in forward", by_mistake("ahead in forward")),
    ("no layer is gathered ahead", by_mistake("no ahead")),
    ("near the first layer the list is cut from the other end", by_mistake("other end")),
    ("no layer is whole at stage 3", by_mistake("not gathered")),
    ("no gradient is whole", by_mistake("no whole gradient")),
    ("no gradient is whole at stage 2", by_mistake("no whole gradient at 2")),
    ("no gradient is whole at stage 3", by_mistake("no whole gradient at 3")),
    ("stage 1 shares nothing out", by_mistake("from stage 2")),
    ("each gathered layer is as large as the largest", by_mistake("largest for both")),
    ("the rank's own parts are taken off what is whole", by_mistake("on top is less")),
    ("the bytes are counted in 32 bits, and wrap round", by_mistake("32 bits")),
)


def work(layers, world, ahead):
    return Work(bytes=8 * layers.numel() + 200, flops=0)


def scale(layers, world, ahead):
    return 0.0


def drawn(low, high, count, world, ahead):
    return lambda g: (torch.randint(low, high, (count,), generator=g), world, ahead)


def view(g):
    return torch.randint(1, 5000, (7, 3), generator=g)[:, 1], 8, 2


# A layer that is large, and neighbours of which the one before it is the smaller.
CASES = (
    Case("one layer", lambda g: (torch.tensor([1000]), 4, 1)),
    Case("equal layers, divided evenly", lambda g: (torch.full((6,), 4096), 64, 1)),
    Case("a small layer before the largest", lambda g: (torch.tensor([50, 7, 901, 640, 33]), 6, 1)),
    Case("nothing gathered ahead", drawn(1, 900, 9, 16, 0)),
    Case("two ahead", drawn(100, 9000, 12, 8, 2)),
    Case("more ahead than there are layers", drawn(10, 300, 4, 3, 9)),
    Case("the last layer is by far the largest", lambda g: (torch.tensor([3, 5, 4, 700]), 3, 2)),
    Case(
        "the first layers are the largest, two ahead",
        lambda g: (torch.tensor([900, 811, 30, 41, 52, 63]), 5, 2),
    ),
    Case("layers smaller than the number of ranks", drawn(1, 40, 10, 512, 1)),
    Case("one rank", drawn(1, 5000, 5, 1, 1)),
    Case("405 billion parameters", drawn(3_100_000_000, 3_250_000_000, 126, 1024, 1)),
    Case("a view", view),
)
