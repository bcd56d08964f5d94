import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
ACCUMULATORS = "float32"
MATRIX_UNITS = "fp16"
MOST_LAUNCHES = 1
MOST_TRAFFIC = 1.2
LOADED_ONCE = ("x",)
WIDEST_BLOCK = 8192
PROMISED = (
    ("32 divides K", lambda x, gate, gate_scale, up, up_scale: x.shape[1] % 32 == 0),
    (
        "a float16 scale for each 32 numbers",
        lambda x, gate, gate_scale, up, up_scale: (
            gate_scale.shape[1] * 32 == x.shape[1] == up_scale.shape[1] * 32
        ),
    ),
)


def numbers(packed, scale, *, change=""):
    """The weight in float64, [N, K]. The option names a mistake."""
    low, high = (packed % 16).double(), (packed // 16).double()
    n = packed.shape[0]
    low, high = low.view(n, -1, 16), high.view(n, -1, 16)
    if change == "swapped":
        low, high = high, low
    codes = torch.cat((low, high), 2).flatten(1)
    if change == "neighbours":
        codes = torch.stack((low, high), 3).flatten(1)
    zero = {"none": 0, "seven": 7}.get(change, 8)
    if change == "wrapped":
        codes = torch.where(codes < 8, codes + 256, codes)
    each = scale.double().repeat_interleave(32, 1)
    if change == "first scale":
        each = scale[:, :1].double()
    if change == "no scale":
        each = 1.0
    return (codes - zero) * each


def gated(x, gate, gate_scale, up, up_scale, change=""):
    if change == "one scale":
        up_scale = gate_scale
    g = x.double() @ numbers(gate, gate_scale, change=change).T
    u = x.double() @ numbers(up, up_scale, change=change).T
    if change == "turned":
        g, u = u, g
    if change == "sigmoid":
        return torch.sigmoid(g) * u
    if change == "relu":
        return g.relu() * u
    if change == "after":
        return torch.nn.functional.silu(g * u)
    if change == "ungated":
        return torch.nn.functional.silu(g)
    if change == "product":
        return g * u
    return torch.nn.functional.silu(g) * u


def reference(x, gate, gate_scale, up, up_scale):
    return gated(x, gate, gate_scale, up, up_scale)


def eager(x, gate, gate_scale, up, up_scale):
    g = x.float() @ numbers(gate, gate_scale).float().T
    u = x.float() @ numbers(up, up_scale).float().T
    return (torch.nn.functional.silu(g) * u).half()


def scale(x, gate, gate_scale, up, up_scale):
    x = x.double()
    wide = [numbers(gate, gate_scale), numbers(up, up_scale)]
    g, u = (x @ w.T for w in wide)
    gated = torch.nn.functional.silu(g)
    slope = (torch.sigmoid(g) * (1 + g * torch.sigmoid(-g))).abs()
    # A weight may be rounded to float16, which is off by less than these sums of magnitudes.
    rounds_g, rounds_u = (x.abs() @ (w.abs() * (w != w.half())).T for w in wide)
    rounded = rounds_g * (u.abs() + 0.1) + rounds_u * (g.abs() + 0.1)
    # Sums are float32: what they lose is 2 ** -10 of what float16 would lose, or less.
    loud_g, loud_u = (x.abs() @ w.abs().T for w in wide)
    summed = loud_g * slope * u.abs() + loud_u * gated.abs()
    return (gated * u).abs() + 0.5 * rounded + 2.0**-10 * summed


def work(x, gate, gate_scale, up, up_scale):
    (m, k), n = x.shape, gate.shape[0]
    moved = 2 * m * k + 2 * gate.numel() + 4 * gate_scale.numel() + 2 * m * n
    return Work(bytes=moved, flops=4 * m * n * k, units="fp16")


def by_mistake(change):
    return lambda *given: gated(*given, change)


NEAR_MISSES = (
    ("the low and high four bits change places", by_mistake("swapped")),
    ("neighbours share a byte, and not numbers that are 16 apart", by_mistake("neighbours")),
    ("8 is not taken off the codes", by_mistake("none")),
    ("7 is taken off the codes, not 8", by_mistake("seven")),
    ("8 is taken off in uint8, where 3 - 8 is 251", by_mistake("wrapped")),
    ("all groups of a row have its first scale", by_mistake("first scale")),
    ("the codes are not multiplied by their scales", by_mistake("no scale")),
    ("`up` is multiplied by the scales of `gate`", by_mistake("one scale")),
    ("silu is taken of the product with `up`", by_mistake("turned")),
    ("the gate is a sigmoid, and not silu", by_mistake("sigmoid")),
    ("the gate is relu", by_mistake("relu")),
    ("silu is taken of the product of both", by_mistake("after")),
    ("the product with `up` is left out", by_mistake("ungated")),
    ("silu is left out", by_mistake("product")),
)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device).half()


def weight(g, n, k):
    packed = torch.randint(0, 256, (n, k // 2), generator=g, device=g.device, dtype=torch.uint8)
    part = torch.rand(n, k // 32, generator=g, device=g.device) + 0.5
    powers = torch.randint(-6, -3, part.shape, generator=g, device=g.device)
    return packed, (part * 2.0**powers).half()


def sized(m, n, k):
    return lambda g: (normal(g, m, k), *weight(g, n, k), *weight(g, n, k))


def zeros(g):
    """Groups whose scale is 0, and rows of nothing but codes of 0."""
    x, gate, gate_scale, up, up_scale = sized(5, 20, 64)(g)
    gate_scale[:, 1], up_scale[3:9, 0] = 0, 0
    gate[4], up[7] = 0x88, 0x88
    return x, gate, gate_scale, up, up_scale


def loud(g):
    """Gates far from 0 on both sides, where silu is the number itself or nearly 0."""
    x, gate, gate_scale, up, up_scale = sized(4, 24, 96)(g)
    return x, gate, gate_scale * 4, up, up_scale / 8


def far_below(g):
    """Gates of -18 and a little. float16 rounds them by nearly half of its step there, 1 / 128, and
    silu is off by as much. silu by itself is a few of the smallest steps of float16. All weights are
    float16 numbers, so that none is rounded."""
    x, gate, gate_scale, up, up_scale = sized(5, 20, 64)(g)
    x *= 8
    x[:, 0] = 2.25
    x[:, 1] = 0.0068 + 0.0009 * torch.rand(5, generator=g, device=g.device)
    gate.fill_(0x88)
    gate[:, 0], gate[:, 1] = 0x80, 0x87
    gate_scale.fill_(1)
    up_scale.fill_(32)
    return x, gate, gate_scale, up, up_scale


def beyond_float16(g):
    """Make sums of `up` that float16 cannot hold, and gates so small that the result is not large."""
    x, gate, gate_scale, up, up_scale = sized(3, 20, 64)(g)
    return x, gate, gate_scale.fill_(2.0**-12), up, up_scale.fill_(4096)


CASES = (
    Case("one token", sized(1, 32, 64)),
    Case("one block, one output", sized(3, 1, 32)),
    Case("one row past a tile", sized(17, 40, 96)),
    Case("scales and codes of 0", zeros),
    Case("loud gates", loud),
    Case("gates far below 0", far_below),
    Case("sums beyond float16", beyond_float16),
    Case("long rows", sized(1, 3, 2048)),
    Case("many rows", sized(150, 7, 32)),
    Case("the tiny model's layer", sized(8, 256, 96)),
)
TIMING = Case("16 tokens, 4096 by 4096", sized(16, 4096, 4096))
