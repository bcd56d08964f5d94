import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
PROMISED = (
    ("`group` is even", lambda w, scale: w.shape[1] % (2 * scale.shape[1]) == 0),
    ("no scale is below 0", lambda w, scale: bool((scale >= 0).all())),
)


def coded(w, scale, *, change=""):
    """Codes of a weight, a group at a time. The option names a mistake."""
    groups = scale.shape[1]
    group = w.shape[1] // groups
    codes = torch.empty(w.shape, dtype=torch.float64, device=w.device)
    for number in range(groups):
        part = slice(number * group, (number + 1) * group)
        one = scale[:, number : number + 1].double()
        if change == "first scale":
            one = scale[:, :1].double()
        ratio = w[:, part].double() / torch.where(one == 0, torch.inf, one)
        if change == "times":
            ratio = w[:, part].double() * one
        if change == "inverse":
            ratio = w[:, part].double() * (1.0 / torch.where(one == 0, torch.inf, one))
        if change == "early":
            whole = torch.round(ratio + 7)
        elif change == "cut":
            whole = torch.trunc(ratio) + 7
        elif change == "half up":
            whole = torch.floor(ratio + 0.5) + 7
        else:
            whole = torch.round(ratio) + (8 if change == "eight" else 7)
        codes[:, part] = whole.clamp(0, 15 if change == "fifteen" else 14)
    return codes


def packed(codes, change=""):
    low, high = codes[:, 0::2], codes[:, 1::2]
    if change == "exchanged":
        low, high = high, low
    if change == "halves":
        half = codes.shape[1] // 2
        low, high = codes[:, :half], codes[:, half:]
    return (low + 16 * high).to(torch.uint8)


def reference(w, scale):
    return packed(coded(w, scale))


eager = reference


def work(w, scale):
    return Work(bytes=w.numel() * 9 + 2 * scale.numel(), flops=3 * w.numel())


def by_mistake(change):
    return lambda w, scale: packed(coded(w, scale, change=change), change)


NEAR_MISSES = (
    ("the even number is in the high four bits", by_mistake("exchanged")),
    ("a byte holds numbers of both halves of the row, not two neighbours", by_mistake("halves")),
    ("8 is added, not 7", by_mistake("eight")),
    ("7 is added before the ratio is rounded", by_mistake("early")),
    ("the fraction is cut off, not rounded", by_mistake("cut")),
    ("halves are rounded up, not to the even number", by_mistake("half up")),
    ("the codes are limited to 15, not to 14", by_mistake("fifteen")),
    ("all groups of a row have its first scale", by_mistake("first scale")),
    ("the number is multiplied by the scale", by_mistake("times")),
    ("the number is multiplied by 1 / scale, which is rounded twice", by_mistake("inverse")),
)


def weights(g, n, k):
    return torch.randn(n, k, generator=g, device=g.device, dtype=torch.float64)


def scales(w, group):
    """The largest magnitude of each group over 7, as it is stored."""
    return (w.reshape(len(w), -1, group).abs().amax(-1) / 7).half()


def sized(n, groups, group, *, dtype=torch.float32, part=1.0):
    """Groups that differ in size by up to 2 ** 6, and scales of `part` of what they need."""

    def make(g):
        powers = torch.randint(-3, 4, (n, groups, 1), generator=g, device=g.device)
        w = (weights(g, n, groups * group).reshape(n, groups, group) * 2.0**powers).reshape(n, -1)
        w = w.to(dtype)
        return w, (scales(w.double(), group).double() * part).half()

    return make


def halves(g):
    """Scales are powers of 2 and numbers whole multiples of half of them."""
    whole = torch.randint(-20, 21, (6, 5, 16), generator=g, device=g.device).double() / 2
    powers = 2.0 ** torch.randint(-4, 3, (6, 5, 1), generator=g, device=g.device)
    return (whole * powers).reshape(6, 80), powers[..., 0].half()


def halves_of_49(g):
    """The scale is 49, and numbers lie in the middle between two codes; 1 / 49 is rounded."""
    w = 49.0 * (torch.randint(-7, 7, (4, 96), generator=g, device=g.device).double() + 0.5)
    return w, torch.full((4, 3), 49.0, dtype=torch.float16, device=g.device)


def beside_the_middle(g):
    """Numbers so near to the middle between two codes that float32 does not see the difference."""
    whole = torch.randint(-6, 6, (5, 64), generator=g, device=g.device).double() + 0.5
    side = torch.randint(0, 2, (5, 64), generator=g, device=g.device).double() * 2 - 1
    return whole + side * 2.0**-40, torch.ones(5, 4, dtype=torch.float16, device=g.device)


def dead(g):
    w, scale = sized(7, 6, 16)(g)
    w = w.clone()
    w[2, 16:32], w[5] = 0, 0
    scale[2, 1], scale[5] = 0, 0
    scale[6, 3] = 0  # numbers that are not 0, of which the scale keeps nothing
    return w, scale


def far_out(g):
    """Numbers up to fifty times as far as the last code."""
    w, scale = sized(5, 4, 32)(g)
    return w * 10 ** (2 * torch.rand(w.shape, generator=g, device=g.device)), scale


def huge(g):
    """Numbers whose steps no integer of 64 bits can count."""
    w, scale = sized(4, 3, 16)(g)
    w = w.clone()
    w[:, ::5] *= 1e30
    return w, scale


def smallest(g):
    """Draw the smallest scales of float16, and two numbers whose ratio to them is infinite."""
    w = torch.randint(-16, 17, (4, 48), generator=g, device=g.device).double() / 2
    powers = 2.0 ** torch.randint(-24, -20, (4, 3), generator=g, device=g.device)
    w = w * powers.double().repeat_interleave(16, 1)
    w[0, 5], w[2, 40] = 1e305, -1e305
    return w, powers.half()


def viewed(g):
    w = weights(g, 96, 40).float().T[::2, 16:80]
    scale = torch.rand(2, 60, generator=g, device=g.device).half().T[::3]
    return w, scale


def drawn(g):
    n, groups, half = (
        int(torch.randint(1, top, (1,), generator=g, device=g.device)) for top in (9, 7, 21)
    )
    return sized(n, groups, 2 * half, part=0.8)(g)


CASES = (
    Case("groups of 32", sized(6, 4, 32)),
    Case("groups of 16", sized(5, 6, 16)),
    Case("groups of 128, float16", sized(3, 2, 128, dtype=torch.float16)),
    Case("one group a row", sized(9, 1, 40)),
    Case("one row", sized(1, 5, 8)),
    Case("pairs with a scale each", sized(4, 9, 2)),
    Case("as many rows as groups", sized(6, 6, 12, dtype=torch.float64)),
    Case("bfloat16", sized(5, 3, 32, dtype=torch.bfloat16)),
    Case("scales of two thirds", sized(8, 4, 32, part=2 / 3)),
    Case("numbers far outside", far_out),
    Case("numbers of 1e30", huge),
    Case("halves", halves),
    Case("halves of a scale of 49", halves_of_49),
    Case("beside the middle", beside_the_middle),
    Case("scales of 0", dead),
    Case("the smallest scales", smallest),
    Case("views", viewed),
    Case("drawn", drawn),
)
