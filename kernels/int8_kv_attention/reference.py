import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
COPIES = False
ACCUMULATORS = "float32"
STRICT_PRODUCTS = True
ALSO_FOR = ("sm_80", "sm_90", "gfx942")
WIDEST_BLOCK = 16_384  # 128 tokens of 128 numbers
MOST_LAUNCHES = 1
MOST_ACCESSES = 1.25  # groups of 16 whose keys and values are loaded twice have 1.7 at least
PROMISED = (
    (
        "`heads` is a multiple of `kv_heads`, up to 16 times as many",
        lambda q, k, k_scale, v, v_scale: (
            q.shape[0] % k.shape[0] == 0 and q.shape[0] // k.shape[0] <= 16
        ),
    ),
    (
        "`D` is 16, 32, 64 or 128",
        lambda q, k, k_scale, v, v_scale: q.shape[1] in (16, 32, 64, 128),
    ),
)


def numbers(codes, scale):
    return codes.to(scale.dtype) * scale[..., None]


def grouped(q, keys, values, *, order="grouped"):
    """Return attention over heads that are shared. `order`: which query heads share one."""
    times = q.shape[0] // keys.shape[0]
    if order == "grouped":
        keys, values = keys.repeat_interleave(times, 0), values.repeat_interleave(times, 0)
    else:
        keys, values = keys.repeat(times, 1, 1), values.repeat(times, 1, 1)
    found = torch.einsum("hd,htd->ht", q, keys) * q.shape[-1] ** -0.5
    return torch.einsum("ht,htd->hd", torch.softmax(found, -1), values)


def reference(q, k, k_scale, v, v_scale):
    return grouped(q, numbers(k, k_scale), numbers(v, v_scale))


def eager(q, k, k_scale, v, v_scale):
    return reference(q, k, k_scale, v, v_scale)


def work(q, k, k_scale, v, v_scale):
    moved = k.numel() + v.numel() + 4 * (k_scale.numel() + v_scale.numel()) + 8 * q.numel()
    return Work(bytes=moved, flops=4 * q.numel() * k.shape[1], units="tf32x3")


def scale(q, k, k_scale, v, v_scale):
    # As for attention in float32: a score's rounding errors grow with the root of its terms'
    # squares, and the exponential makes of them a relative error of a weight.
    keys, values = numbers(k, k_scale), numbers(v, v_scale)
    times = q.shape[0] // k.shape[0]
    squares = keys.square().repeat_interleave(times, 0)
    terms = torch.einsum("hd,htd->ht", q.square(), squares).amax(-1, keepdim=True).sqrt()
    largest = values.abs().amax(1).repeat_interleave(times, 0)
    return (1 + terms * q.shape[-1] ** -0.5) * largest


def ones(scale):
    return torch.ones_like(scale)


def masked_as_zero(q, k, k_scale, v, v_scale):
    """Yield what comes out if tokens past the end score 0, for each size of a block."""
    for block in (16, 32, 64, 128):
        past = -k.shape[1] % block
        pad = torch.nn.functional.pad
        yield reference(
            q,
            pad(k, (0, 0, 0, past)),
            pad(k_scale, (0, past)),
            pad(v, (0, 0, 0, past)),
            pad(v_scale, (0, past)),
        )


def scale_in_the_sum(q, k, k_scale, v, v_scale):
    """Return it with the values' scales in the sum of the weights as well."""
    times = q.shape[0] // k.shape[0]
    keys = numbers(k, k_scale).repeat_interleave(times, 0)
    found = torch.einsum("hd,htd->ht", q, keys) * q.shape[-1] ** -0.5
    weight = torch.softmax(found, -1) * v_scale.repeat_interleave(times, 0)
    values = v.to(q.dtype).repeat_interleave(times, 0)
    return torch.einsum("ht,htd->hd", weight, values) / weight.sum(-1, keepdim=True)


def not_rescaled(total_too):
    """Return a loop over blocks that does not bring the sum of weights (or all) to a new maximum."""

    def found(q, k, k_scale, v, v_scale):
        times = q.shape[0] // k.shape[0]
        keys, values = numbers(k, k_scale), numbers(v, v_scale)
        keys, values = keys.repeat_interleave(times, 0), values.repeat_interleave(times, 0)
        scores = torch.einsum("hd,htd->ht", q, keys) * q.shape[-1] ** -0.5
        for block in (16, 32, 64, 128):
            if block >= k.shape[1]:
                return
            largest = torch.full_like(scores[:, :1], float("-inf"))
            total, acc = torch.zeros_like(largest), torch.zeros_like(q)
            for part, some in zip(scores.split(block, 1), values.split(block, 1), strict=True):
                new = torch.maximum(largest, part.amax(1, keepdim=True))
                old, weight = torch.exp(largest - new), torch.exp(part - new)
                total = (total if total_too else total * old) + weight.sum(1, keepdim=True)
                sums = torch.einsum("ht,htd->hd", weight, some)
                acc = (acc * old if total_too else acc) + sums
                largest = new
            yield acc / total

    return found


NEAR_MISSES = (
    ("the keys have no scale", lambda q, k, ks, v, vs: reference(q, k, ones(ks), v, vs)),
    ("the values have no scale", lambda q, k, ks, v, vs: reference(q, k, ks, v, ones(vs))),
    ("no scale is used", lambda q, k, ks, v, vs: reference(q, k, ones(ks), v, ones(vs))),
    ("the values have the keys' scales", lambda q, k, ks, v, vs: reference(q, k, ks, v, ks)),
    ("the keys have the values' scales", lambda q, k, ks, v, vs: reference(q, k, vs, v, vs)),
    ("all tokens of a head have the scales of its first token", lambda q, k, ks, v, vs: (
        reference(q, k, ks[:, :1].expand_as(ks), v, vs[:, :1].expand_as(vs)))),
    ("all heads have the scales of the first head", lambda q, k, ks, v, vs: (
        reference(q, k, ks[:1].expand_as(ks), v, vs[:1].expand_as(vs)))),
    ("the sum of the weights has the values' scales in it", scale_in_the_sum),
    ("the sum of the weights is not brought to a new maximum", not_rescaled(True)),
    ("the weighted sum of values is not brought to a new maximum", not_rescaled(False)),
    ("query head h reads head h % kv_heads", lambda q, k, ks, v, vs: (
        grouped(q, numbers(k, ks), numbers(v, vs), order="turns"))),
    ("tokens past the end have the score 0", masked_as_zero),
    ("the scores are not multiplied by `D**-0.5`", lambda q, k, ks, v, vs: (
        reference(q * q.shape[1] ** 0.5, k, ks, v, vs))),
    ("the codes are read as numbers without a sign", lambda q, k, ks, v, vs: (
        reference(q, k.short() % 256, ks, v.short() % 256, vs))),
)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def codes(g, *shape):
    drawn = torch.randint(-127, 128, shape, generator=g, device=g.device)
    return drawn.to(torch.int8)


def scales(g, *shape):
    """Return scales near 1/64 that differ by up to 2 ** 3."""
    part = torch.rand(shape, generator=g, device=g.device) + 0.5
    return part * 2.0 ** torch.randint(-8, -4, shape, generator=g, device=g.device)


def cache(heads, shared, tokens, dim):
    def make(g):
        return (
            normal(g, heads, dim),
            codes(g, shared, tokens, dim),
            scales(g, shared, tokens),
            codes(g, shared, tokens, dim),
            scales(g, shared, tokens),
        )

    return make


def longer_buffer(g):
    """Views of a cache that has room for 60 tokens, of which 37 are there."""
    q, k, k_scale, v, v_scale = cache(6, 2, 60, 32)(g)
    return q, k[:, :37], k_scale[:, :37], v[:, :37], v_scale[:, :37]


def tokens_before_heads(g):
    """No two of the strides along one dimension are the same, and not all numbers are neighbours."""
    q = normal(g, 8, 16)
    k = codes(g, 40, 4, 48)[:, :, ::3].transpose(0, 1)
    v = codes(g, 4, 40, 32)[:, :, ::2]
    return q, k, scales(g, 40, 4).T, v, scales(g, 4, 80)[:, 1::2]


def far_below_zero(g):
    """Scores between -900 and -400: a token past the end with the score 0 would take all."""
    q, k, k_scale, v, v_scale = cache(4, 2, 45, 16)(g)
    k = torch.randint(-127, -60, k.shape, generator=g, device=g.device).to(torch.int8)
    return q.abs() + 20, k, 0.05 + k_scale / 16, v, v_scale


def one_outweighs(g):
    """One token in the second half has a key like the query, and a large scale."""
    q, k, k_scale, v, v_scale = cache(3, 1, 70, 64)(g)
    k[0, 51] = (q[1] * 40).clamp(-127, 127).to(torch.int8)
    k_scale[0, 51] = 0.8
    return q, k, k_scale, v, v_scale


def rising(g):
    """Scores that grow with the tokens, so that each block of them has a larger maximum."""
    q, k, k_scale, v, v_scale = cache(4, 2, 70, 16)(g)
    k = torch.randint(90, 128, k.shape, generator=g, device=g.device).to(torch.int8)
    k_scale = 0.002 + torch.arange(70, device=g.device).float().expand(2, 70) / 8000
    return q.abs() + 0.5, k, k_scale.contiguous(), v, v_scale


def edges(g):
    """Codes at both ends, and tokens of nothing but zeros with a scale of 0."""
    q, k, k_scale, v, v_scale = cache(4, 4, 33, 16)(g)
    k[0], v[1] = 127, -128
    k[:, 7], k_scale[:, 7], v[:, 9], v_scale[:, 9] = 0, 0.0, 0, 0.0
    return q, k, k_scale, v, v_scale


CASES = (
    Case("one token, a head each", cache(2, 2, 1, 16)),
    Case("one past 32, a group of 4", cache(8, 2, 33, 16)),
    Case("a group of 3, part of a longer buffer", longer_buffer),
    Case("tokens before heads", tokens_before_heads),
    Case("one head for 16, numbers of 128", cache(16, 1, 19, 128)),
    Case("scores far below zero", far_below_zero),
    Case("one token outweighs the others", one_outweighs),
    Case("scores that rise", rising),
    Case("codes at the ends, scales of 0", edges),
    Case("the largest: 161 tokens, groups of 16", cache(32, 2, 161, 128)),
)
TIMING = Case("8 heads of 128, 32 768 tokens", cache(32, 8, 32_768, 128))
