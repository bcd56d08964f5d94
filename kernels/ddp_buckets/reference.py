import torch

from tutor.judge.spec import Case, Work

ALLOWED = ("all_reduce",)
WIDTH, BATCH = 4, 3


def split(weights, rows):
    return list(weights.split([WIDTH * count for count in rows]))


def gradients(world, x, weights, rows, uses, change=""):
    """The gradient of each rank, [world, n]: of the sum of all losses, as the sync layers add it up."""
    if change == "no sync":
        uses = [[i for i in use if i != -1] for use in uses]
    layers = [
        [part.view(-1, WIDTH).clone().requires_grad_() for part in split(row, rows)]
        for row in weights
    ]
    values = list(x)
    with torch.enable_grad():
        for step in range(len(uses[0])):
            if uses[0][step] == -1:
                mean = torch.cat(values).mean(0)
                values = [value - mean for value in values]
                continue
            for rank in range(world):
                layer = layers[rank][uses[rank][step]]
                values[rank] = values[rank] + torch.tanh(values[rank] @ layer.T) @ layer
        sum(value.square().sum(1).mean() for value in values).backward()
    return torch.stack([torch.cat([layer.grad.flatten() for layer in row]) for row in layers])


def on_all(world, row):
    return row[None].expand(world, -1).contiguous()


def reference(world, x, weights, rows, uses, ready, cap):
    return on_all(world, gradients(world, x, weights, rows, uses).mean(0))


eager = reference


def scale(world, x, weights, rows, uses, ready, cap):
    return on_all(world, gradients(world, x, weights, rows, uses).abs().mean(0).clamp(min=0.1))


def work(world, x, weights, rows, uses, ready, cap):
    return Work(bytes=8 * (x.numel() + weights.numel()), flops=12 * weights.numel())


def buckets_of(rows, ready, cap):
    buckets, filled = [[]], 0
    for i in ready:
        if filled >= cap:
            buckets.append([])
            filled = 0
        buckets[-1].append(i)
        filled += 4 * WIDTH * rows[i]
    return buckets


def bytes_of(rows, bucket):
    return sum(4 * WIDTH * rows[i] for i in bucket)


def due_calls(rows, use, ready, cap):
    """Return the calls of a rank, in order: ("sync", None) or ("bucket", its number)."""
    buckets = buckets_of(rows, ready, cap)
    calls = [("sync", None) for i in use if i == -1]
    there, sent = set(), 0
    for place in reversed(range(len(use))):
        if use[place] == -1:
            calls.append(("sync", None))
            continue
        if use[place] not in use[:place]:
            there.add(use[place])
        while sent < len(buckets) and there >= set(buckets[sent]):
            calls.append(("bucket", sent))
            sent += 1
    return calls


def check_calls(calls, world, x, weights, rows, uses, ready, cap):
    buckets = buckets_of(rows, ready, cap)
    for rank in range(world):
        due = due_calls(rows, uses[rank], ready, cap)
        sizes = [4 * WIDTH if kind == "sync" else bytes_of(rows, buckets[k]) for kind, k in due]
        names = [
            "a sync layer" if kind == "sync" else f"bucket {k} (layers {buckets[k]})"
            for kind, k in due
        ]
        for number, (_, got, *_) in enumerate(calls[rank]):
            if number == len(due):
                return f"Rank {rank} makes {len(calls[rank])} calls, and {len(due)} are due."
            if got != sizes[number]:
                return (
                    f"Rank {rank}'s collective number {number + 1} has {got} bytes, where "
                    f"{names[number]} with {sizes[number]} bytes is due."
                )
        for (kind, k), (_, _, begun, _) in zip(due, calls[rank], strict=False):
            if kind == "bucket" and begun == 0:
                return f"Rank {rank} does not wait for bucket {k} by its handle before it returns."
            if kind == "bucket" and begun < len(due):
                return (
                    f"Rank {rank} waits for bucket {k} when {begun} of its {len(due)} collectives are "
                    "begun: backward stands still meanwhile."
                )
    return None


def summed(world, x, weights, rows, uses, ready, cap):
    return on_all(world, gradients(world, x, weights, rows, uses).sum(0))


def own(world, x, weights, rows, uses, ready, cap):
    return gradients(world, x, weights, rows, uses)


def own_over_world(world, x, weights, rows, uses, ready, cap):
    return gradients(world, x, weights, rows, uses) / world


def last_not_sent(world, x, weights, rows, uses, ready, cap):
    each = gradients(world, x, weights, rows, uses)
    out = on_all(world, each.mean(0))
    parts = [split(row, rows) for row in out]
    for rank in range(world):
        for i in buckets_of(rows, ready, cap)[-1]:
            parts[rank][i] = split(each[rank], rows)[i]
    return torch.stack([torch.cat(row) for row in parts])


def in_order_of(order):
    def out(world, x, weights, rows, uses, ready, cap):
        parts = split(gradients(world, x, weights, rows, uses).mean(0), rows)
        return on_all(world, torch.cat([parts[i] for i in order(rows, ready)]))

    return out


NEAR_MISSES = (
    ("the ranks' gradients are added, and not divided by the number of ranks", summed),
    ("each rank keeps its own gradients", own),
    ("each rank divides its own gradients by the number of ranks", own_over_world),
    ("the last bucket is not exchanged", last_not_sent),
    (
        "the gradients stand in the order of the buckets",
        in_order_of(lambda rows, ready: ready),
    ),
)


def draw(world, rows, uses, cap):
    """The case of these layers. `ready` is what rank 0's backward makes whole, in order."""

    def make(g):
        x = torch.randn(world, BATCH, WIDTH, generator=g)
        n = WIDTH * sum(rows)
        weights = 0.3 * torch.randn(n, generator=g)
        first = uses[0]
        ready = [
            first[place]
            for place in reversed(range(len(first)))
            if first[place] != -1 and first[place] not in first[:place]
        ]
        return world, x, weights[None].repeat(world, 1), rows, uses, ready, cap

    return make


def same(world, use):
    return [list(use) for _ in range(world)]


# No layer has one row: a bucket of it would have the bytes of a sync layer.
CASES = (
    Case(
        "2 ranks, layers used as they are defined",
        draw(2, [2, 3, 4, 8, 5], same(2, range(5)), 112),
    ),
    Case(
        "2 ranks, layers used in another order than defined",
        draw(2, [2, 5, 3, 4, 7], same(2, [3, 0, -1, 4, 2, 1]), 90),
    ),
    Case(
        "2 ranks, one layer used twice",
        draw(2, [3, 2, 4, 5], same(2, [2, 0, -1, 1, 2, -1, 3]), 64),
    ),
    Case(
        "2 ranks, one bucket for all",
        draw(2, [2, 3, 4], same(2, [2, -1, 0, 1]), 4096),
    ),
    Case(
        "3 ranks that use layers in different orders",
        draw(
            3,
            [2, 4, 3, 6, 7, 5],
            [[0, 3, 1, -1, 4, 2, 5], [3, 1, 0, -1, 5, 4, 2], [1, 0, 3, -1, 2, 5, 4]],
            110,
        ),
    ),
    Case(
        "2 ranks, a bucket for each layer",
        draw(2, [4, 3, 2], [[0, -1, 1, 2], [0, -1, 2, 1]], 1),
    ),
)
