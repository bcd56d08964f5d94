import torch

from tutor.judge.spec import Case, Work

LEAST_PROGRAMS = 2
WIDEST_BLOCK = 256
LOADED_ONCE = ("k", "v")
MOST_TRAFFIC = 2.0  # the scores of 150 queries and 150 keys, stored and loaded, need 76


def reference(q, k, v):
    return torch.softmax(q[:, None] * k[None, :], dim=1) @ v


def eager(q, k, v):
    return torch.softmax(q[:, None] * k[None, :], dim=1) @ v


def work(q, k, v):
    # A product, a difference, an exponential, and two sums for each pair.
    moved = (2 * q.numel() + k.numel() + v.numel()) * q.element_size()
    return Work(bytes=moved, flops=6 * q.numel() * k.numel())


def scale(q, k, v):
    # The rounding error of a score is a relative error of its weight.
    return (1 + q.abs() * k.abs().max()) * v.abs().max()


def carried(scores, v, block, with_total, with_acc):
    """The result of a loop over blocks that brings only the chosen sums to a new maximum."""
    largest = torch.full_like(scores[:, 0], float("-inf"))
    total, acc = torch.zeros_like(largest), torch.zeros_like(largest)
    for s, values in zip(scores.split(block, 1), v.split(block), strict=True):
        new = torch.maximum(largest, s.amax(1))
        old, weight = torch.exp(largest - new), torch.exp(s - new[:, None])
        total = (total * old if with_total else total) + weight.sum(1)
        acc = (acc * old if with_acc else acc) + weight @ values
        largest = new
    return acc / total


BLOCKS = (16, 32, 64, 128, 256)


def past_the_end(q, k, v):
    """Yield the results for lanes past the last key that count as keys with the score 0."""
    weight = torch.exp(q[:, None] * k[None, :])
    for block in BLOCKS:
        yield weight @ v / (weight.sum(dim=1) + -k.numel() % block)


def in_blocks(with_total, with_acc):
    return lambda q, k, v: (
        carried(q[:, None] * k[None, :], v, block, with_total, with_acc) for block in BLOCKS
    )


NEAR_MISSES = (
    ("lanes past the last key count as keys with the score 0", past_the_end),
    ("only the first block of keys counts",
     lambda q, k, v: (reference(q, k[:block], v[:block]) for block in BLOCKS)),
    ("the weighted sum is not brought to a new maximum, and the sum of the weights is",
     in_blocks(True, False)),
    ("the sum of the weights is not brought to a new maximum, and the weighted sum is",
     in_blocks(False, True)),
    ("neither sum is brought to a new maximum", in_blocks(False, False)),
    ("nothing divides the weighted sum by the sum of the weights",
     lambda q, k, v: torch.exp(q[:, None] * k[None, :]) @ v),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def three(queries, keys, q=1.0, k=1.0, v=1.0):
    return lambda g: (q * normal(g, queries), k * normal(g, keys), v * normal(g, keys))


def sorted_keys(descending):
    def make(g):
        keys = (4 * normal(g, 200)).sort(descending=descending).values
        return 1 + normal(g, 70).abs(), keys, normal(g, 200)

    return make


def one_key_outweighs(g):
    q, k, v = 1 + normal(g, 20).abs(), normal(g, 190), normal(g, 190)
    at = int(torch.randint(0, 190, (1,), generator=g, device=g.device))
    k[at], v[at] = 40.0, 7.0
    return q, k, v


def far_below_zero(g):
    return 60 + normal(g, 40), -5 - normal(g, 130).abs(), normal(g, 130)


CASES = (
    Case("one query, one key", three(1, 1)),
    Case("one query, three keys", three(1, 3)),
    Case("three queries, one key", three(3, 1)),
    Case("one short of 64", three(63, 63)),
    Case("exactly 64", three(64, 64)),
    Case("one past 64", three(65, 65)),
    Case("many keys", three(5, 290)),
    Case("many queries", three(250, 5)),
    Case("rising keys", sorted_keys(False)),
    Case("falling keys", sorted_keys(True)),
    Case("one key outweighs the others", one_key_outweighs),
    Case("scores in the hundreds", three(40, 130, q=30.0, k=10.0)),
    Case("scores far below zero", far_below_zero),
    Case("q nothing but zeros", lambda g: (0 * normal(g, 40), normal(g, 130), normal(g, 130))),
    Case("v times 10,000", three(40, 130, v=1e4)),
    Case("150 by 150", three(150, 150)),
)
TIMING = Case("16,384 by 16,384", three(1 << 14, 1 << 14))
