import torch

from tutor.judge.spec import Case, Work

RATES = (10, 25, 40, 50, 100, 200, 400, 800)


def reference(counts, itemsize, alpha, gbit):
    return counted(counts, itemsize, alpha, gbit)


def counted(counts, itemsize, alpha, gbit, change=""):
    """Picoseconds of each all-reduce. `change` names a mistake."""
    counts, world = counts.long(), gbit.numel()
    rates = gbit.tolist()
    rounds = 2 * (world - 1)
    rounds = {
        "N": 2 * world,
        "one half": world - 1,
        "tree": 2 * (world - 1).bit_length(),
    }.get(change, rounds)
    rate = {"fastest": max(rates), "first": rates[0]}.get(change, min(rates))
    if change == "mean":
        rate = sum(rates) / len(rates)
    byte = 1000 if change == "bits" else 8000
    part = -(-counts // world) * itemsize
    if change == "floor":
        part = counts // world * itemsize
    if change == "bytes":
        part = -(-counts * itemsize // world)
    if change == "whole":
        part = counts * itemsize
    if change == "numbers":
        part = -(-counts // world)
    transfer = part * byte // rate if change != "mean" else (part * byte / rate).long()
    latency = {"units": 1}.get(change, 1000) * alpha
    if change == "latency once":
        return latency * (world > 1) + rounds * transfer
    if change == "32 bits":
        return (rounds * (latency + transfer) + 2**31) % 2**32 - 2**31
    if change == "sum of links":
        return 2 * sum(latency + part * 8000 // each for each in rates) * (world > 1)
    return rounds * (latency + transfer)


eager = reference


def by_mistake(change):
    return lambda counts, itemsize, alpha, gbit: counted(counts, itemsize, alpha, gbit, change)


NEAR_MISSES = (
    ("there are `2 * N` rounds", by_mistake("N")),
    ("there are `N - 1` rounds: one half of the ring", by_mistake("one half")),
    ("the rounds of a tree are counted", by_mistake("tree")),
    ("the latency is paid once", by_mistake("latency once")),
    ("the latency counts as picoseconds", by_mistake("units")),
    ("a byte takes as long as a bit", by_mistake("bits")),
    ("a round takes as long as on the fastest link", by_mistake("fastest")),
    ("a round takes as long as on the first link", by_mistake("first")),
    ("the links have their mean rate", by_mistake("mean")),
    ("the links work one after the other", by_mistake("sum of links")),
    ("parts are rounded down", by_mistake("floor")),
    ("bytes are shared out, and not numbers", by_mistake("bytes")),
    ("each round sends the whole vector", by_mistake("whole")),
    ("a number takes one byte", by_mistake("numbers")),
    ("the times are counted in 32 bits, and wrap round", by_mistake("32 bits")),
)


def work(counts, itemsize, alpha, gbit):
    return Work(bytes=24 * counts.numel() + 16 * gbit.numel(), flops=0)


def scale(counts, itemsize, alpha, gbit):
    return 0.0


def draw(g, low, high, count):
    return torch.randint(low, high + 1, (count,), generator=g)


def case(name, world, most, k=4, same=False):
    def make(g):
        rates = torch.tensor(RATES)[draw(g, 0, len(RATES) - 1, world)]
        if same:
            rates[:] = rates[0].item()
        itemsize = (1, 2, 4)[int(draw(g, 0, 2, 1))]
        return draw(g, 1, most, k), itemsize, int(draw(g, 1, 40, 1)), rates

    return Case(name, make)


CASES = (
    Case(
        "two ranks, one bucket",
        lambda g: (torch.tensor([1001]), 4, 5, torch.tensor([100, 100])),
    ),
    case("three ranks, small buckets", 3, 50, 6),
    case("eight ranks on equal links", 8, 100_000, same=True),
    Case(
        "the last link is slow",
        lambda g: (draw(g, 1000, 9000, 5), 2, 3, torch.tensor([400, 400, 200, 25])),
    ),
    Case(
        "numbers of one byte, and a bucket smaller than the ring",
        lambda g: (torch.tensor([1, 4, 5, 6, 100]), 1, 7, torch.tensor([50, 40, 800, 100, 25])),
    ),
    Case("one rank", lambda g: (draw(g, 1, 1000, 3), 4, 5, torch.tensor([100]))),
    case("a gradient of billions", 64, 8_000_000_000),
    Case(
        "views",
        lambda g: (draw(g, 1, 5000, 8)[::2], 2, 12, torch.tensor([[100, 10], [200, 40]])[:, 0]),
    ),
)
