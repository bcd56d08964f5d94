import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
MOST_TRAFFIC = 1.5  # the scores of 259 tokens, stored and loaded, need 2 at least
WIDEST_BLOCK = 16_384  # 128 tokens of 128 numbers
WIDEST_IN = {"131 tokens": 4096}  # of 32 numbers
LOADED_ONCE = ("k", "v")
STRICT_PRODUCTS = True  # the compiler makes a dot in TF32 of `tl.sum` over `a * b`


def scores(q, k, causal):
    found = q @ k.transpose(1, 2) * q.shape[-1] ** -0.5
    if causal:
        future = torch.ones(found.shape[1:], dtype=torch.bool, device=q.device).triu(1)
        found = found.masked_fill(future, float("-inf"))
    return found


def reference(q, k, v, causal):
    return torch.softmax(scores(q, k, causal), dim=-1) @ v


def eager(q, k, v, causal):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)


def work(q, k, v, causal):
    heads, tokens, dim = q.shape
    pairs = tokens * (tokens + 1) // 2 if causal else tokens * tokens
    # Two dot products of length head_dim for each pair of a query and a key that it sees.
    moved = 4 * q.numel() * q.element_size()
    return Work(bytes=moved, flops=4 * heads * pairs * dim, units="tf32x3")


def scale(q, k, v, causal):
    # A score is a dot product; its rounding errors go either way and add up like the root of the
    # sum of its terms' squares. The exponential makes of a score's error a relative error of the
    # weight, and the weights sum up values.
    terms = (q.square() @ k.square().transpose(1, 2)).amax(-1, keepdim=True).sqrt()
    terms = terms * q.shape[-1] ** -0.5
    return (1 + terms) * v.abs().amax(1, keepdim=True)


def weights(found):
    return torch.exp(found - found.amax(-1, keepdim=True))


def before(q):
    return torch.ones(q.shape[1], q.shape[1], dtype=torch.bool, device=q.device).tril(-1)


def masked(q, k, v, first_hidden):
    hidden = torch.ones(q.shape[1], q.shape[1], dtype=torch.bool, device=q.device)
    found = scores(q, k, False).masked_fill(hidden.triu(first_hidden), float("-inf"))
    return torch.softmax(found, -1) @ v


def scaled(factor):
    """Attention whose scores are those of the task times `factor(head_dim)`."""
    return lambda q, k, v, causal: reference(q * factor(q.shape[-1]), k, v, causal)


def blocks(
    args, rescale_acc=True, rescale_sum=True, acc_keeps=1.0, sum_keeps=1.0, first=False, last=False
):
    """Yield what a loop over blocks of keys gives that forgets a step, for each size of a block."""
    q, k, v, causal = args
    for block in (16, 32, 64, 128):
        if block >= k.shape[1]:
            return
        largest = torch.full_like(q[..., :1], float("-inf"))
        total, acc = torch.zeros_like(largest), torch.zeros_like(v)
        steps = list(zip(scores(q, k, causal).split(block, -1), v.split(block, 1), strict=True))
        for part, values in steps[-1:] if last else steps[:1] if first else steps:
            new = torch.maximum(largest, part.amax(-1, keepdim=True))
            # A block in which a query sees nothing adds nothing.
            safe = new.nan_to_num(neginf=0.0)
            old, weight = torch.exp(largest - safe), torch.exp(part - safe)
            total = total * (old if rescale_sum else 1) * sum_keeps + weight.sum(-1, keepdim=True)
            acc = acc * (old if rescale_acc else 1) * acc_keeps + weight @ values
            largest = new
        yield acc / total


NEAR_MISSES = (
    ("the loop keeps only its last step", lambda *args: blocks(args, last=True)),
    ("the weighted sum of values keeps only its last step", lambda *args: blocks(args, acc_keeps=0.0)),
    ("the sum of weights keeps only its last step", lambda *args: blocks(args, sum_keeps=0.0)),
    ("what was summed before is not brought to a new maximum", lambda *args: (
        blocks(args, rescale_acc=False, rescale_sum=False))),
    ("the weighted sum of values is not brought to a new maximum, and the sum of weights is",
     lambda *args: blocks(args, rescale_acc=False)),
    ("the sum of weights is not brought to a new maximum, and the weighted sum of values is",
     lambda *args: blocks(args, rescale_sum=False)),
    ("only the first block of keys is counted", lambda *args: blocks(args, first=True)),
    ("it is always causal", lambda q, k, v, causal: reference(q, k, v, True)),
    ("it is never causal", lambda q, k, v, causal: reference(q, k, v, False)),
    ("a query does not see its own key", lambda q, k, v, causal: masked(q, k, v, 0)),
    ("a query sees one key too many", lambda q, k, v, causal: masked(q, k, v, 2)),
    ("a query sees the keys after it and not those before", lambda q, k, v, causal: (
        torch.softmax(scores(q, k, False).masked_fill(before(q), float("-inf")), -1) @ v)),
    ("the scores are divided by `head_dim` and not by its root", scaled(lambda d: d**-0.5)),
    ("the scores are not scaled", scaled(lambda d: d**0.5)),
    ("the scores are multiplied by the root of `head_dim`", scaled(lambda d: d)),
    ("the scores are scaled twice by `head_dim**-0.5`", scaled(lambda d: d**-0.5)),
    ("2 is raised to the power of the scores, and not e", scaled(lambda d: 0.6931471805599453)),
    ("nothing divides by the sum of the weights", lambda q, k, v, causal: (
        weights(scores(q, k, causal)) @ v)),
    ("masked scores are 0 and not -inf", lambda q, k, v, causal: (
        torch.softmax(torch.nan_to_num(scores(q, k, causal), neginf=0.0), -1) @ v)),
    ("the scores are those of `k` with `k`", lambda q, k, v, causal: reference(k, k, v, causal)),
    ("the weights multiply `k` and not `v`", lambda q, k, v, causal: reference(q, k, k, causal)),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def three(*shape, causal=False):
    return lambda g: (normal(g, *shape), normal(g, *shape), normal(g, *shape), causal)


def slices_of_one_packed_tensor(g):
    packed = normal(g, 41, 3, 2, 16)  # [tokens, which, heads, head_dim]
    return *(packed[:, i].transpose(0, 1) for i in range(3)), True


def one_view(which):
    """q, k and v, of which one is a view: heads stand after tokens."""

    def make(g):
        return *(normal(g, 19, 2, 16).transpose(0, 1) if i == which else normal(g, 2, 19, 16)
                 for i in range(3)), False

    return make


def three_layouts(g):
    # No two strides along one dimension are the same, and none is 1.
    q = normal(g, 2, 16, 37).transpose(1, 2)
    k = normal(g, 2, 80, 48)[:, 3:77:2, ::3]
    return q, k, normal(g, 3, 37, 40)[1:, :, 5:37:2], False


def one_key_outweighs_the_others(g):
    q, k, v = normal(g, 1, 70, 16), normal(g, 1, 70, 16), normal(g, 1, 70, 16)
    at = int(torch.randint(33, 64, (1,), generator=g, device=g.device))
    k[:, at] = 8 * q[:, 5]
    return q, k, v, False


def far_below_zero(causal):
    """Scores near -960, and -480 for the first key: who loses the first block's values loses all."""

    def make(g):
        k = -4 - normal(g, 1, 50, 16)
        k[:, 0] = -2
        return 60 + normal(g, 1, 50, 16), k, normal(g, 1, 50, 16), causal

    return make


def with_zeros(g):
    return torch.zeros(1, 45, 16, device=g.device), normal(g, 1, 45, 16), normal(g, 1, 45, 16), True


CASES = (
    Case("one token", three(1, 1, 16)),
    Case("two tokens", three(1, 2, 16)),
    Case("three tokens, causal", three(2, 3, 16, causal=True)),
    Case("one short of 32", three(1, 31, 16)),
    Case("exactly 32", three(1, 32, 16)),
    Case("one past 32, causal", three(1, 33, 16, causal=True)),
    Case("exactly 64, causal", three(1, 64, 16, causal=True)),
    Case("exactly 64", three(1, 64, 32)),
    Case("one past 64", three(1, 65, 16)),
    Case("259 tokens, causal", three(1, 259, 64, causal=True)),
    Case("131 tokens", three(1, 131, 32)),
    Case("head_dim 128", three(1, 19, 128)),
    Case("five heads", three(5, 11, 64)),
    Case("slices of one packed tensor", slices_of_one_packed_tensor),
    Case("q a view, k and v contiguous", one_view(0)),
    Case("k a view, q and v contiguous", one_view(1)),
    Case("v a view, q and k contiguous", one_view(2)),
    Case("three layouts", three_layouts),
    Case("q nothing but zeros, causal", with_zeros),
    Case("v times 10,000", lambda g: (*three(1, 50, 16)(g)[:2], 1e4 * normal(g, 1, 50, 16), False)),
    Case("keys near 5", lambda g: (normal(g, 1, 50, 16), 5 + normal(g, 1, 50, 16),
                                   normal(g, 1, 50, 16), False)),
    Case("scores in the hundreds", lambda g: (60 * normal(g, 1, 50, 16), 2 * normal(g, 1, 50, 16),
                                              normal(g, 1, 50, 16), False)),
    Case("scores far below zero", far_below_zero(causal=False)),
    Case("scores in the hundreds, causal", lambda g: (
        60 * normal(g, 1, 50, 16), 2 * normal(g, 1, 50, 16), normal(g, 1, 50, 16), True)),
    Case("scores far below zero, causal", far_below_zero(causal=True)),
    Case("one key outweighs the others", one_key_outweighs_the_others),
)  # fmt: skip
TIMING = Case("16 heads of 2048 tokens, causal", three(16, 2048, 64, causal=True))
