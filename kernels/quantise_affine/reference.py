import torch

from tutor.judge.spec import Case, Work


def mapped(x, seen, low, high, *, change=""):
    """Codes and restored numbers. The option names a mistake."""
    x, seen = x.double(), seen.double()
    if change == "own range":
        seen = x
    if change == "first batch":
        seen = seen[0]
    if change == "eight bits":
        low, high = -128, 127
    bottom, top = float(seen.min()), float(seen.max())
    if change != "no zero in it":
        bottom, top = min(bottom, 0.0), max(top, 0.0)
    if change == "symmetric":
        top = max(-bottom, top)
        bottom = -top
    steps = high - low + (1 if change == "one step more" else 0)
    scale = (top - bottom) / steps or 1.0
    zero = (0 if change == "zero from 0" else low) - round(bottom / scale)
    if change == "symmetric":
        zero = 0
    if change == "cut zero":
        zero = low - int(bottom / scale)
    ratio = x * (1.0 / scale) if change == "inverse" else x / scale
    if change == "cut":
        codes = torch.trunc(ratio) + zero
    elif change == "down":
        codes = torch.floor(ratio) + zero
    elif change == "away":
        codes = torch.sign(ratio) * torch.floor(ratio.abs() + 0.5) + zero
    elif change == "up":
        codes = torch.floor(ratio + 0.5) + zero
    elif change == "zero first":
        codes = torch.round(ratio + zero)
    else:
        codes = torch.round(ratio) + zero
    if change == "wraps":
        codes = (codes - low) % (high - low + 1) + low
    elif change != "not limited":
        codes = codes.clamp(low, high)
    restored = codes * scale if change == "zero stays" else (codes - zero) * scale
    if change == "other order":
        return torch.stack([restored, codes])
    return torch.stack([codes, restored])


def reference(x, seen, low, high):
    return mapped(x, seen, low, high)


eager = reference


def by_mistake(change):
    return lambda *args: mapped(*args, change=change)


NEAR_MISSES = (
    ("the range is that of `x`, not that of `seen`", by_mistake("own range")),
    ("only the first batch of `seen` is looked at", by_mistake("first batch")),
    ("the codes are -128 to 127 whatever is asked for", by_mistake("eight bits")),
    ("the range is not widened to hold 0", by_mistake("no zero in it")),
    ("the range is as wide below 0 as above it", by_mistake("symmetric")),
    ("the scale divides by the number of codes, not by that of steps", by_mistake("one step more")),
    ("the zero point leaves `low` out", by_mistake("zero from 0")),
    ("the zero point is cut, not rounded", by_mistake("cut zero")),
    ("the fraction is cut off, not rounded", by_mistake("cut")),
    ("each number is rounded down", by_mistake("down")),
    ("a half is rounded away from 0, not to the even integer", by_mistake("away")),
    ("a half is rounded up, not to the even integer", by_mistake("up")),
    ("the zero point is added before the rounding", by_mistake("zero first")),
    ("the number is multiplied by 1 / scale, which is rounded twice", by_mistake("inverse")),
    ("codes outside of `low` to `high` stay", by_mistake("not limited")),
    ("codes outside of `low` to `high` wrap round", by_mistake("wraps")),
    ("the zero point is not taken off on the way back", by_mistake("zero stays")),
    ("the restored numbers come first", by_mistake("other order")),
)


def work(x, seen, low, high):
    return Work(bytes=8 * (3 * x.numel() + seen.numel()), flops=4 * x.numel())


def case(shape, batches, low, high, *, offset=0.0, spread=1.0, wide=1.0, dtype=torch.float64):
    """`x` is `wide` times as wide as what was seen."""

    def make(g):
        def normal(*sizes):
            drawn = torch.randn(sizes, generator=g, device=g.device, dtype=torch.float64)
            return offset + spread * drawn

        seen = normal(*batches)
        x = offset + wide * (normal(*shape) - offset)
        return x.to(dtype), seen.to(dtype), low, high

    return make


def positive(g):
    seen = 5 + torch.rand(4, 20, generator=g, device=g.device, dtype=torch.float64)
    x = 5 + torch.rand(30, generator=g, device=g.device, dtype=torch.float64)
    return x, seen, 0, 255


def negative(g):
    seen = -9 + torch.rand(4, 20, generator=g, device=g.device, dtype=torch.float64)
    x = -10 + 10 * torch.rand(30, generator=g, device=g.device, dtype=torch.float64)
    return x, seen, -128, 127


def halves(g):
    """A scale of 0.5 and numbers that are whole multiples of 0.25. The zero point is odd."""
    seen = torch.zeros(3, 5, dtype=torch.float64, device=g.device)
    seen[1, 2], seen[2, 4] = -29.5, 98.0
    x = torch.randint(-200, 500, (60,), generator=g, device=g.device).double() / 4
    return x, seen, -128, 127


def halves_of_49(g):
    """The scale is 49 and the numbers lie in the middle between two codes; 1 / 49 is rounded."""
    seen = torch.tensor([[0.0, 1.0], [-49.0 * 100, 49.0 * 155]], dtype=torch.float64)
    whole = torch.randint(-90, 140, (60,), generator=g, device=g.device).double()
    return 49.0 * (whole + 0.5), seen.to(g.device), 0, 255


def near_the_middle(g):
    """The scale is 1 and the numbers lie 1e-9 beside the middle between two codes, which float32 cannot
    tell from the middle."""
    seen = torch.tensor([[-128.0, 3.0], [127.0, 0.0]], dtype=torch.float64, device=g.device)
    whole = torch.randint(-90, 90, (60,), generator=g, device=g.device).double()
    side = torch.randint(0, 2, (60,), generator=g, device=g.device).double() * 2 - 1
    return whole + 0.5 + 1e-9 * side, seen, -128, 127


def one_number(g):
    """Nothing but 2.5 was seen: the range has a length once it is widened."""
    x = torch.randint(-20, 40, (40,), generator=g, device=g.device).double() / 8
    return x, torch.full((3, 4), 2.5, dtype=torch.float64, device=g.device), 0, 255


def half_at_zero(bottom):
    """With a scale of 0.5 the zero point is in the middle between two whole numbers."""

    def make(g):
        seen = torch.zeros(3, 5, dtype=torch.float64, device=g.device)
        seen[0, 1], seen[2, 0] = bottom, bottom + 127.5
        x = torch.randint(-600, 900, (50,), generator=g, device=g.device).double() / 7
        return x, seen, -128, 127

    return make


def nothing(g):
    x = torch.randint(-300, 300, (20,), generator=g, device=g.device).double() / 8
    return x, torch.zeros(2, 6, dtype=torch.float64, device=g.device), -8, 7


def far_outside(g):
    """Draw numbers whose quotients are beyond 32 bits, and beyond 64."""
    x = torch.randn(24, generator=g, device=g.device, dtype=torch.float64)
    x *= 10.0 ** torch.randint(8, 30, (24,), generator=g, device=g.device)
    x[:4] = torch.tensor([1e30, -1e30, 3e9, -3e9], dtype=torch.float64)
    return x, torch.randn(2, 9, generator=g, device=g.device, dtype=torch.float64), -128, 127


def views(g):
    x = torch.randn(24, 40, generator=g, device=g.device, dtype=torch.float64)
    return x.T[::3, 2:], 2 * x[::2, 1:9], 0, 255


def drawn(g):
    low, wide = torch.randint(-300, 1, (1,), generator=g), torch.randint(4, 600, (1,), generator=g)
    low = 2 * int(low)
    seen = torch.randn(5, 30, generator=g, device=g.device, dtype=torch.float64) * 3 + 1
    x = torch.randn(4, 25, generator=g, device=g.device, dtype=torch.float64) * 4 + 1
    return x, seen, low, low + int(wide)


def batch_of(dtype):
    return case((5, 16), (3, 4, 8), 0, 255, offset=0.7, spread=2.0, wide=1.3, dtype=dtype)


CASES = (
    Case("one number", case((1,), (1, 3), 0, 255)),
    Case("x without an axis", case((), (50,), -128, 127, wide=1.5)),
    Case("int8", case((40,), (4, 25), -128, 127, offset=0.5)),
    Case("uint8, float32", batch_of(torch.float32)),
    Case("uint8, float16", batch_of(torch.float16)),
    Case("uint8, bfloat16", batch_of(torch.bfloat16)),
    Case("four bits", case((50,), (3, 30), -8, 7, offset=-1.0)),
    Case("two codes", case((20,), (2, 9), 0, 1)),
    Case("codes from 2 on, tiny numbers", case((30,), (2, 20), 2, 200, spread=1e-15)),
    Case("much wider than what was seen", case((60,), (2, 20), -128, 127, wide=5.0)),
    Case("far outside of what was seen", far_outside),
    Case("all that was seen is positive", positive),
    Case("all that was seen is negative", negative),
    Case("halves", halves),
    Case("halves of a scale of 49", halves_of_49),
    Case("close to the middle between two codes", near_the_middle),
    Case("one number was seen, again and again", one_number),
    Case("a half in the zero point", half_at_zero(-31.25)),
    Case("another half in the zero point", half_at_zero(-31.75)),
    Case("nothing but zeros was seen", nothing),
    Case("three axes", case((3, 4, 5), (2, 3, 4, 5), 0, 255, offset=2.0)),
    Case("views", views),
    Case("drawn codes", drawn),
    Case("drawn codes again", drawn),
)
