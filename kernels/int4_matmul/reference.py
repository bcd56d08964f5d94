import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
COPIES = False
ACCUMULATORS = "float32"
MATRIX_UNITS = "fp16"
ALSO_FOR = ("sm_80", "sm_90", "gfx942")
WIDEST_BLOCK = 16_384  # a tile of 128 by 128: K of any length does not fit in one
MOST_LAUNCHES = 1
MOST_TRAFFIC = 1.2  # a weight that goes through memory in float16 has nearly four times the bytes
PROMISED = (
    (
        "a multiple of 32",
        lambda x, packed, scale: x.shape[1] % (32 * scale.shape[1]) == 0,
    ),
    (
        "`packed` has the codes 0 to 14",
        lambda x, packed, scale: bool(((packed % 16 < 15) & (packed // 16 < 15)).all()),
    ),
)


def numbers(packed, scale, *, change=""):
    """The weight in float64, [N, K]. The option names a mistake."""
    low, high = (packed % 16).double(), (packed // 16).double()
    pairs = [high, low] if change == "exchanged" else [low, high]
    codes = torch.cat(pairs, 1) if change == "halves" else torch.stack(pairs, -1).flatten(1)
    group = codes.shape[1] // scale.shape[1]
    each = scale.double().repeat_interleave(group, 1)
    if change == "first scale":
        each = scale[:, :1].double()
    if change == "turns":
        each = scale.double().repeat(1, group)
    if change == "wrapped":
        codes = torch.where(codes < 7, codes + 256, codes)
    zero = {"eight": 8, "none": 0}.get(change, 7)
    return (codes - zero) * (1 if change == "no scale" else each)


def reference(x, packed, scale):
    return x @ numbers(packed, scale).T


def eager(x, packed, scale):
    return (x.float() @ numbers(packed, scale).float().T).half()


def scale(x, packed, scale):
    # A weight may be rounded to float16, and the sum is: both errors stay below these magnitudes.
    w = numbers(packed, scale)
    return (x @ w.T).abs() + (x.abs() @ w.abs().T) * 0.5


def work(x, packed, scale):
    (m, k), n = x.shape, packed.shape[0]
    moved = 2 * m * k + packed.numel() + 2 * scale.numel() + 2 * m * n
    return Work(bytes=moved, flops=2 * m * n * k, units="fp16")


def by_mistake(change):
    return lambda x, packed, scale: x.double() @ numbers(packed, scale, change=change).T


NEAR_MISSES = (
    ("the even number is taken from the high four bits", by_mistake("exchanged")),
    ("all low halves come first, then all high ones", by_mistake("halves")),
    ("7 is not taken off the codes", by_mistake("none")),
    ("8 is taken off the codes, not 7", by_mistake("eight")),
    ("7 is taken off in uint8, where 3 - 7 is 252", by_mistake("wrapped")),
    ("the codes are not multiplied by their scales", by_mistake("no scale")),
    ("all groups of a row have its first scale", by_mistake("first scale")),
    ("the scales take turns, number by number", by_mistake("turns")),
)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device).half()


def weight(g, n, k, group):
    """Codes of all values, and scales that differ by up to 2 ** 4."""
    codes = torch.randint(0, 15, (n, k), generator=g, device=g.device, dtype=torch.uint8)
    part = torch.rand(n, k // group, generator=g, device=g.device) + 0.5
    powers = torch.randint(-6, -1, part.shape, generator=g, device=g.device)
    return codes[:, 0::2] | (codes[:, 1::2] << 4), (part * 2.0**powers).half()


def sized(m, n, k, group=32):
    return lambda g: (normal(g, m, k), *weight(g, n, k, group))


def one_side(g):
    """All codes above 7 and all x near 2: sums grow, and none of them cancels."""
    x = 2 + normal(g, 5, 1024) / 8
    codes = torch.randint(10, 15, (19, 1024), generator=g, device=g.device, dtype=torch.uint8)
    scale = 0.0625 + torch.rand(19, 32, generator=g, device=g.device) / 16
    return x, codes[:, 0::2] | (codes[:, 1::2] << 4), (scale / 8).half()


def zeros(g):
    """Groups whose scale is 0, and a row of nothing but codes of 0."""
    x, packed, scale = sized(7, 33, 128)(g)
    scale[:, 1] = 0
    packed[4] = 0x77
    return x, packed, scale


def drawn(g):
    m, n, groups = (
        int(torch.randint(1, top, (1,), generator=g, device=g.device)) for top in (40, 90, 5)
    )
    group = 32 * int(torch.randint(1, 4, (1,), generator=g, device=g.device))
    return sized(m, n, groups * group, group)(g)


CASES = (
    Case("one token", sized(1, 48, 128)),
    Case("one output", sized(3, 1, 64)),
    Case("one group a row", sized(5, 20, 32)),
    Case("one past the tile, three groups", sized(17, 65, 96)),
    Case("groups of 128", sized(33, 30, 256, 128)),
    Case("groups of 96", sized(6, 67, 192, 96)),
    Case("a long sum of one sign", one_side),
    Case("scales of 0, codes of 0", zeros),
    Case("x transposed", lambda g: (normal(g, 64, 21).T, *weight(g, 30, 64, 32))),
    Case(
        "x a window, every second number",
        lambda g: (normal(g, 40, 200)[3:30, 5:197:2], *weight(g, 45, 96, 32)),
    ),
    Case("150 rows of x", sized(150, 9, 64)),
    Case("drawn", drawn),
    Case("the largest: 300 outputs", sized(20, 300, 512)),
)
TIMING = Case("16 tokens, 4096 by 4096", sized(16, 4096, 4096))
