import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
WIDEST_BLOCK = 4096  # 64 tokens of 64 numbers
WIDEST_IN = {"98 tokens": 1024}  # of 16 numbers
MOST_TRAFFIC = 2.2  # of 98 tokens of 16: two kernels need 1.6, with the slopes stored and loaded 2.6


def weights(q, k):
    return torch.softmax(q @ k.transpose(1, 2) * q.shape[-1] ** -0.5, dim=-1)


def reference(q, k, v, out, logsum, grad):
    p = weights(q, k)
    dp = grad @ v.transpose(1, 2)
    delta = (p * dp).sum(-1, keepdim=True)
    ds = p * (dp - delta) * q.shape[-1] ** -0.5
    return torch.stack((ds @ k, ds.transpose(1, 2) @ q, p.transpose(1, 2) @ grad))


def eager(q, k, v, out, logsum, grad):
    return reference(q, k, v, out, logsum, grad)


def work(q, k, v, out, logsum, grad):
    heads, tokens, dim = q.shape
    moved = (8 * q.numel() + logsum.numel()) * q.element_size()
    return Work(bytes=moved, flops=10 * heads * tokens * tokens * dim, units="tf32x3")


def scale(q, k, v, out, logsum, grad):
    # A score's rounding error is a relative error of its weight; from there it goes through the
    # products. The magnitudes of all terms are added up, one figure for each of the three results.
    p, s = weights(q, k), q.shape[-1] ** -0.5
    worst = 1 + s * float(q.abs().amax() * k.abs().amax())
    dp = grad.abs() @ v.abs().transpose(1, 2)
    ds = p * (dp + (p * dp).sum(-1, keepdim=True)) * s
    three = (ds @ k.abs(), ds.transpose(1, 2) @ q.abs(), p.transpose(1, 2) @ grad.abs())
    return worst * torch.stack([t.amax().expand_as(q) for t in three])


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def inputs(q, k, v, grad):
    """Return the forward pass's result and the logarithm of each query's sum."""
    scores = q.double() @ k.double().transpose(1, 2) * q.shape[-1] ** -0.5
    out = torch.softmax(scores, dim=-1) @ v.double()
    return q, k, v, out.float(), torch.logsumexp(scores, dim=-1).float(), grad


def sizes(heads, tokens, dim, q=1.0, v=1.0):
    def make(g):
        four = [normal(g, heads, tokens, dim) for _ in range(4)]
        return inputs(q * four[0], four[1], v * four[2], four[3])

    return make


def one_key_outweighs_the_others(g):
    q, k, v, grad = (normal(g, 1, 50, 16) for _ in range(4))
    at = int(torch.randint(0, 50, (1,), generator=g, device=g.device))
    k[:, at] = 4 * q[:, 5]
    return inputs(q, k, v, grad)


def far_below_zero(g):
    q, k, v, grad = (normal(g, 1, 41, 16) for _ in range(4))
    return inputs(8 + q, -6 - k, v, grad)  # scores near -190


def q_zero(g):
    q, k, v, grad = (normal(g, 1, 40, 16) for _ in range(4))
    return inputs(0 * q, k, v, grad)


def slopes(q, k, v, out, logsum, grad, *, delta=1, scaled=True):
    p, dp = weights(q, k), grad @ v.transpose(1, 2)
    ds = p * (dp - delta * (p * dp).sum(-1, keepdim=True))
    return p, ds * (q.shape[-1] ** -0.5 if scaled else 1)


def gradients(p, ds, q, k, grad, *, turned=(True, True)):
    of_k, of_v = (m.transpose(1, 2) if turn else m for m, turn in zip((ds, p), turned, strict=True))
    return torch.stack((ds @ k, of_k @ q, of_v @ grad))


def near(phrase, turned=(True, True), **how):
    return phrase, lambda q, k, *rest: gradients(
        *slopes(q, k, *rest, **how), q, k, rest[-1], turned=turned
    )


NEAR_MISSES = (
    near("`delta` is left out of the slopes", delta=0),
    near("`delta` is added to the slopes, and not subtracted", delta=-1),
    near("the slopes are not multiplied by the scale", scaled=False),
    near("the slopes are not transposed for the gradient of `k`", turned=(False, True)),
    near("the weights are not transposed for the gradient of `v`", turned=(True, False)),
    near("neither slopes nor weights are transposed", turned=(False, False)),
)  # fmt: skip


CASES = (
    Case("one token", sizes(1, 1, 16)),
    Case("three tokens", sizes(1, 3, 16)),
    Case("one short of 32", sizes(1, 31, 16)),
    Case("exactly 32", sizes(1, 32, 16)),
    Case("one past 32", sizes(1, 33, 16)),
    Case("exactly 64", sizes(1, 64, 16)),
    Case("98 tokens", sizes(3, 98, 16)),
    Case("three heads", sizes(3, 15, 32)),
    Case("head_dim 64", sizes(1, 65, 64)),
    Case("large scores", sizes(1, 40, 16, q=12.0)),
    Case("scores far below zero", far_below_zero),
    Case("v times 1000", sizes(1, 40, 16, v=1e3)),
    Case("q nothing but zeros", q_zero),
    Case("one key outweighs the others", one_key_outweighs_the_others),
)
TIMING = Case("16 heads of 2048 tokens", sizes(16, 2048, 64))
