import torch

from tutor.judge.spec import Case, Work

MOST_TRAFFIC = 2.0  # the scores of 200 tokens, stored and loaded, need more
WIDEST_BLOCK = 8192  # 128 tokens of 64 numbers
WIDEST_IN = {"200 tokens": 2048}  # of 16 numbers
LOADED_ONCE = ("k", "v")
DOT = True


def scores(q, k):
    return q @ k.T * q.shape[-1] ** -0.5


def reference(q, k, v):
    return torch.softmax(scores(q, k), dim=1) @ v


def eager(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def work(q, k, v):
    # Two dot products of length head_dim for each pair of a query and a key.
    tokens, dim = q.shape
    return Work(
        bytes=4 * q.numel() * q.element_size(), flops=4 * tokens * tokens * dim, units="tf32x3"
    )


def scale(q, k, v):
    # The rounding errors of a score add up like the root of the sum of its terms' squares, and an
    # error of a score is a relative error of its weight.
    terms = (q.square() @ k.square().T).amax(1, keepdim=True).sqrt() * q.shape[-1] ** -0.5
    return (1 + terms) * v.abs().amax(0)


def loops(args, rescale_acc=True, rescale_sum=True, keeps=1.0, first=False):
    """Yield what a loop over blocks of keys gives that forgets a step, for each size of a block."""
    q, k, v = args
    for block in (16, 32, 64, 128):
        if block >= k.shape[0]:
            return
        largest = torch.full_like(q[:, :1], float("-inf"))
        total, acc = torch.zeros_like(largest), torch.zeros_like(v)
        steps = list(zip(scores(q, k).split(block, 1), v.split(block), strict=True))
        for part, values in steps[:1] if first else steps:
            new = torch.maximum(largest, part.amax(1, keepdim=True))
            old, weight = torch.exp(largest - new), torch.exp(part - new)
            total = total * (old if rescale_sum else 1) + weight.sum(1, keepdim=True)
            acc = acc * (old if rescale_acc else 1) * keeps + weight @ values
            largest = new
        yield acc / total


def scaled(factor):
    """Attention whose scores are those of the task times `factor(head_dim)`."""
    return lambda q, k, v: reference(q * factor(q.shape[-1]), k, v)


NEAR_MISSES = (
    ("the weighted sum of values keeps only its last step", lambda *args: loops(args, keeps=0.0)),
    ("the weighted sum of values is not brought to a new maximum, and the sum of weights is",
     lambda *args: loops(args, rescale_acc=False)),
    ("the sum of weights is not brought to a new maximum, and the weighted sum of values is",
     lambda *args: loops(args, rescale_sum=False)),
    ("only the first block of keys is counted", lambda *args: loops(args, first=True)),
    ("the scores are not scaled", scaled(lambda d: d**0.5)),
    ("the scores are scaled twice", scaled(lambda d: d**-0.5)),
    ("all scores are 0, so the values are averaged", lambda q, k, v: reference(0 * q, k, v)),
    ("the scores are those of `q` with `q`", lambda q, k, v: reference(q, q, v)),
    ("the weights multiply `k` and not `v`", lambda q, k, v: reference(q, k, k)),
    ("nothing divides by the sum of the weights", lambda q, k, v: (
        torch.exp(scores(q, k) - scores(q, k).amax(1, keepdim=True)) @ v)),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def three(tokens, dim, q=1.0, k=1.0, v=1.0):
    return lambda g: (
        q * normal(g, tokens, dim), k * normal(g, tokens, dim), v * normal(g, tokens, dim))  # fmt: skip


def one_key_outweighs_the_others(g):
    q, k, v = normal(g, 70, 16), normal(g, 70, 16), normal(g, 70, 16)
    at = int(torch.randint(33, 64, (1,), generator=g, device=g.device))
    k[at] = 8 * q[5]
    return q, k, v


def far_below_zero(g):
    return 60 + normal(g, 50, 16), -4 - normal(g, 50, 16), normal(g, 50, 16)


CASES = (
    Case("one token", three(1, 16)),
    Case("two tokens", three(2, 16)),
    Case("one short of 32", three(31, 16)),
    Case("exactly 32", three(32, 16)),
    Case("one past 32", three(33, 16)),
    Case("head_dim 32", three(65, 32)),
    Case("head_dim 64", three(131, 64)),
    Case("200 tokens", three(200, 16)),
    Case("q nothing but zeros", lambda g: (0 * normal(g, 45, 16), normal(g, 45, 16),
                                           normal(g, 45, 16))),
    Case("v times 10,000", three(50, 16, v=1e4)),
    Case("scores in the hundreds", three(50, 16, q=60.0, k=2.0)),
    Case("scores far below zero", far_below_zero),
    Case("one key outweighs the others", one_key_outweighs_the_others),
)  # fmt: skip
TIMING = Case("8192 tokens", three(8192, 64))
