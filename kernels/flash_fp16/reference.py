import math

import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
ACCUMULATORS = "float32"
MATRIX_UNITS = "fp16"
WIDEST_BLOCK = 16_384  # 128 tokens of 128 numbers
WIDEST_IN = {"200 tokens": 2048}  # of 16 numbers
LOADED_ONCE = ("k", "v")
MOST_MASKED = {
    "256 tokens of 64": 0.5,  # the queries may be, 20 % in tiles of 128
    "259 tokens of 64, causal": 0.65,  # 50 % in tiles of 128 queries and 64 keys
}
MOST_TRAFFIC = 2.0  # the scores of 256 tokens, stored and loaded, need 3


def scores(q, k, causal):
    found = q @ k.transpose(1, 2) * q.shape[-1] ** -0.5
    if causal:
        future = torch.ones(found.shape[1:], dtype=torch.bool, device=q.device).triu(1)
        found = found.masked_fill(future, float("-inf"))
    return found


def reference(q, k, v, causal):
    return torch.softmax(scores(q, k, causal), dim=-1) @ v


def eager(q, k, v, causal):
    # With a batch axis PyTorch may take a fused kernel; its own three need four dimensions.
    q, k, v = (t[None] for t in (q, k, v))
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)[0]


def work(q, k, v, causal):
    heads, tokens, dim = q.shape
    pairs = tokens * (tokens + 1) // 2 if causal else tokens * tokens
    # Two dot products of length head_dim for each pair of a query and a key that it sees.
    moved = 4 * q.numel() * q.element_size()
    return Work(bytes=moved, flops=4 * heads * pairs * dim, units="fp16")


def scale(q, k, v, causal):
    # Each weight is rounded to float16 before it meets its value, and the result once more.
    return v.abs().amax(1, keepdim=True)


NEAR_MISSES = (
    ("the weights are 2 to the power of the scores, and not e to that power", lambda q, k, v, causal: (
        torch.softmax(scores(q, k, causal) * math.log(2), dim=-1) @ v)),
    ("the scores have no factor `head_dim**-0.5`", lambda q, k, v, causal: (
        torch.softmax(scores(q, k, causal) * q.shape[-1] ** 0.5, dim=-1) @ v)),
)  # fmt: skip


def numbers(g, *shape, factor=1.0):
    return (factor * torch.randn(shape, generator=g, device=g.device)).to(torch.float16)


def three(heads, tokens, dim, causal=False, q=1.0, k=1.0):
    def make(g):
        shape = heads, tokens, dim
        return (
            numbers(g, *shape, factor=q),
            numbers(g, *shape, factor=k),
            numbers(g, *shape),
            causal,
        )

    return make


def one_key_outweighs_the_others(g):
    q, k, v = (numbers(g, 1, 70, 32) for _ in range(3))
    at = int(torch.randint(0, 70, (1,), generator=g, device=g.device))
    k[:, at] = 6 * q[:, 5]
    return q, k, v, False


def with_zeros(g):
    return 0 * numbers(g, 1, 45, 16), numbers(g, 1, 45, 16), numbers(g, 1, 45, 16), True


def far_below_zero(g):
    q, k, v = (numbers(g, 1, 50, 16) for _ in range(3))
    return 60 + q, -4 - k, v, True


CASES = (
    Case("one token", three(1, 1, 16)),
    Case("three tokens, causal", three(2, 3, 16, causal=True)),
    Case("one short of 64", three(1, 63, 16)),
    Case("exactly 64, causal", three(1, 64, 32, causal=True)),
    Case("one past 64", three(1, 65, 16)),
    Case("one past 64, causal", three(1, 65, 16, causal=True)),
    Case("256 tokens of 64", three(2, 256, 64)),
    Case("129 tokens, causal", three(1, 129, 16, causal=True)),
    Case("200 tokens", three(1, 200, 16)),
    Case("head_dim 128", three(1, 33, 128)),
    Case("three heads", three(3, 20, 64)),
    Case("scores in the hundreds", three(1, 50, 16, q=40.0, k=5.0)),
    Case("scores in the hundreds, causal", three(1, 50, 16, q=40.0, k=5.0, causal=True)),
    Case("scores far below zero, causal", far_below_zero),
    Case("q nothing but zeros, causal", with_zeros),
    Case("one key outweighs the others", one_key_outweighs_the_others),
    Case("192 tokens of 64, causal", three(1, 192, 64, causal=True)),
    Case("259 tokens of 64, causal", three(1, 259, 64, causal=True)),
)
TIMING = Case("32 heads of 4096 tokens, head_dim 128, causal", three(32, 4096, 128, causal=True))
