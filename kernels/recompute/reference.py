import torch

from tutor.judge.spec import Case, Work


def reference(reads, size, time, wanted, budget):
    return best_set(reads, size, time, wanted, budget)


def best_set(reads, size, time, wanted, budget, change=""):
    """Return the cheapest set by trying all. `change` names a mistake."""
    count = len(size)
    kept = torch.arange(2**count)[:, None] >> torch.arange(count) & 1 == 1
    again = (kept if change == "twice" else ~kept).double() * 0
    for value in reversed(range(count)):
        asked = (again * reads[:, value]).sum(1) + wanted[value]
        if change == "alone":
            asked = wanted[value].expand(2**count).double()
        elif change == "one level":
            asked = (~kept * (reads[:, value] & wanted)).sum(1) + wanted[value]
        if change != "twice":
            asked = (asked > 0).double()
        again[:, value] = asked * ~kept[:, value]
    taken = (kept * size).sum(1)
    cost = (again * time).sum(1)
    if change == "count":
        cost = again.sum(1)
    cost[taken >= budget if change == "below" else taken > budget] = float("inf")
    if change == "wanted":
        cost[(kept & ~wanted).any(1)] = float("inf")
    least = cost == cost.min()
    rows = least.nonzero().flatten()
    best = rows[taken[rows].argmax() if change == "most bytes" else taken[rows].argmin()]
    return again[best] > 0 if change == "again" else kept[best]


def greedy(score):
    """Return who keeps wanted values by a score, the highest first, as long as they fit."""

    def choose(reads, size, time, wanted, budget):
        kept, left = torch.zeros_like(wanted), budget
        for value in sorted(range(len(size)), key=lambda v: -score(float(time[v]), int(size[v]))):
            if wanted[value] and size[value] <= left:
                kept[value] = True
                left -= int(size[value])
        return kept

    return choose


eager = reference


def by_mistake(change):
    return lambda *args: best_set(*args, change)


NEAR_MISSES = (
    ("a value that is computed again finds what it reads for nothing", by_mistake("alone")),
    ("what is read by what is computed again is followed one step only", by_mistake("one level")),
    ("a value that two others read is counted twice", by_mistake("twice")),
    ("only values that the backward itself reads are kept", by_mistake("wanted")),
    ("a set that takes just the budget is refused", by_mistake("below")),
    ("the number of values counts, and not their time", by_mistake("count")),
    ("of equal sets the one with the most bytes is taken", by_mistake("most bytes")),
    ("it is what is computed again, and not what is kept", by_mistake("again")),
    ("the most time for a byte is kept first", greedy(lambda time, size: time / size)),
    ("the longest time is kept first", greedy(lambda time, size: time)),
    ("the fewest bytes are kept first", greedy(lambda time, size: -size)),
)


def work(reads, size, time, wanted, budget):
    return Work(bytes=reads.numel() + 18 * len(size), flops=0)


def costs(reads, size, time, wanted, budget):
    """Return the least time and bytes, and how many sets have just these."""
    count = len(size)
    kept = torch.arange(2**count)[:, None] >> torch.arange(count) & 1 == 1
    again = torch.zeros_like(kept)
    for value in reversed(range(count)):
        asked = (again & reads[:, value]).any(1) | wanted[value]
        again[:, value] = asked & ~kept[:, value]
    taken, cost = (kept * size).sum(1), (again * time).sum(1)
    cost[taken > budget] = float("inf")
    least = cost == cost.min()
    return int((taken[least] == taken[least].min()).sum())


def fixed(values, budget):
    """A case of rows (bytes, time, wanted, *numbers of the values that it reads)."""
    reads = torch.zeros(len(values), len(values), dtype=torch.bool)
    for number, row in enumerate(values):
        reads[number, list(row[3:])] = True
    size = torch.tensor([row[0] for row in values])
    time = torch.tensor([row[1] for row in values], dtype=torch.float64)
    wanted = torch.tensor([bool(row[2]) for row in values])
    args = (reads, size, time, wanted, budget)
    assert costs(*args) == 1, "two sets are the best"
    return lambda g: tuple(arg.clone() if isinstance(arg, torch.Tensor) else arg for arg in args)


def drawn(count, share, readers=0.35, want=0.6, sizes=(1, 30), exact=False):
    """A case of `count` values with a budget of a share of what is wanted. Drawn again until one set
    is the best; `exact`: until that set takes just the budget."""

    def make(g):
        while True:
            reads = (torch.rand(count, count, generator=g) < readers).tril(-1)
            size = torch.randint(sizes[0], sizes[1] + 1, (count,), generator=g)
            time = torch.randint(1, 60, (count,), generator=g).double() / 4
            wanted = torch.rand(count, generator=g) < want
            budget = int(int((size * wanted).sum()) * share)
            if exact:
                budget = int((size * best_set(reads, size, time, wanted, budget)).sum())
            args = (reads, size, time, wanted, budget)
            if wanted.any() and costs(*args) == 1:
                return args

    return make


def chained(count, share):
    """A case of a chain: each value is computed from the one before it, and all are wanted."""

    def make(g):
        while True:
            _, size, time, _, _ = drawn(count, 0.5)(g)
            reads = torch.ones(count, count, dtype=torch.bool).tril(-1).triu(-1)
            wanted = torch.ones(count, dtype=torch.bool)
            args = (reads, size, time, wanted, int(int(size.sum()) * share))
            if costs(*args) == 1:
                return args

    return make


def views(g):
    """Views: `reads` is transposed, the others lie in every second place of longer tensors."""
    reads, size, time, wanted, budget = drawn(10, 0.4)(g)
    return (
        reads.t().contiguous().t(),
        size.repeat_interleave(2)[::2],
        time.repeat_interleave(2)[::2],
        wanted.repeat_interleave(2)[::2],
        budget,
    )


CASES = (
    Case("a layer: product, norm, activation", fixed(((8, 9, 1), (8, 1, 1, 0), (8, 2, 1, 1)), 8)),
    Case("nothing fits", fixed(((8, 9, 1), (8, 1, 1, 0)), 7)),
    Case("everything fits", fixed(((8, 9, 1), (5, 1, 0, 0), (3, 2, 1, 1)), 20)),
    Case(
        "a long way back",
        fixed(((9, 9, 0), (9, 1, 0, 0), (9, 1, 1, 1), (9, 8, 1)), 9),
    ),
    Case(
        "one value for two others",
        fixed(((5, 5, 0), (5, 1, 1, 0), (5, 1, 1, 0), (5, 7, 1)), 5),
    ),
    Case(
        "a small value in front of large ones",
        fixed(((2, 9, 0), (8, 1, 1, 0), (9, 2, 1, 0), (7, 1, 1, 0)), 8),
    ),
    Case("as long, and smaller", fixed(((9, 5, 1), (4, 5, 1)), 9)),
    Case("as long, and larger", fixed(((4, 5, 1), (9, 5, 1)), 9)),
    Case("little time for many bytes", fixed(((3 << 30, 1000.25, 1), (1, 1000, 1)), 3 << 30)),
    Case("two for the price of one", fixed(((3, 2, 1), (3, 3, 1), (7, 5, 1)), 7)),
    Case("a chain", chained(9, 0.4)),
    Case("drawn, 12 values", drawn(12, 0.35, readers=0.25)),
    Case("drawn, few are wanted", drawn(11, 0.7, readers=0.5, want=0.3)),
    Case("drawn, just within the budget", drawn(10, 0.5, exact=True)),
    Case("drawn, sizes alike", drawn(9, 0.5, sizes=(4, 6))),
    Case("drawn, as views", views),
)
