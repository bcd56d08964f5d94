import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
PROMISED = (
    ("K a multiple of 32", lambda w: w.shape[1] % 32 == 0 and w.shape[1] > 0),
    (
        "A block is all 0 (and then +0.0), or its largest magnitude is from 1e-30 to 500,000.",
        lambda w: all(
            1e-30 <= top <= 500_000 or (top == 0 and not one.signbit().any())
            for one in w.double().reshape(-1, 32)
            for top in [float(one.abs().max())]
        ),
    ),
)


def first_top(block):
    """The first number of largest magnitude of each block, [blocks, 1]."""
    magnitude = block.abs()
    found = magnitude == magnitude.amax(-1, keepdim=True)
    place = torch.arange(32, device=block.device)
    at = torch.where(found, place, 32).amin(-1, keepdim=True)
    return torch.where(place == at, block, 0.0).sum(-1, keepdim=True)


def blocks(w, change=""):
    """The bytes, a tensor [N, blocks, 18]. The option names a mistake."""
    block = w.float().reshape(len(w), -1, 32)
    top = first_top(block.flip(-1) if change == "last" else block)
    if change == "positive":
        top = torch.where(block.amax(-1, keepdim=True) == top.abs(), top.abs(), top)
    if change in ("unsigned", "over 7"):
        top = -top.abs()
    d = top / (-7 if change == "over 7" else -8)
    if change == "plus":
        d = -d
    stored = d.half()
    if change == "stored":
        d = stored.float()
    inverse = torch.where(d == 0, 0.0, 1 / d)
    scaled = block * inverse
    if change == "divides":
        scaled = torch.where(d == 0, 0.0, block / d)
    if change == "double":
        scaled = block.double() * inverse.double()
    codes = torch.round(scaled) + 8 if change == "even" else torch.floor(scaled + 8.5)
    if change == "eight":
        codes = torch.floor(scaled + 8)
    codes = codes.clamp(0, 15).to(torch.uint8)
    low, high = codes[..., :16], codes[..., 16:]
    if change == "neighbours":
        low, high = codes[..., 0::2], codes[..., 1::2]
    if change == "exchanged":
        low, high = high, low
    head = stored.view(torch.uint8)
    if change == "big":
        head = head.flip(-1)
    parts = (head, low + 16 * high)
    if change == "apart":
        return torch.cat([part.reshape(len(w), -1) for part in parts], -1)
    return torch.cat(parts[::-1] if change == "behind" else parts, -1).reshape(len(w), -1)


def reference(w):
    return blocks(w)


eager = reference


def work(w):
    return Work(bytes=w.numel() * w.element_size() + w.numel() // 32 * 18, flops=3 * w.numel())


def by_mistake(change):
    return lambda w: blocks(w, change)


NEAR_MISSES = (
    ("neighbours share a byte", by_mistake("neighbours")),
    ("the number of the block's first half is in the high four bits", by_mistake("exchanged")),
    ("`top` has lost its sign", by_mistake("unsigned")),
    ("`d` is `top` over 8, not over -8", by_mistake("plus")),
    ("`d` is the largest magnitude over 7", by_mistake("over 7")),
    ("of several numbers as large the last one counts", by_mistake("last")),
    ("of several numbers as large the positive one counts", by_mistake("positive")),
    ("numbers in the middle go to the even code", by_mistake("even")),
    ("8 is added before the fraction is cut off, not 8.5", by_mistake("eight")),
    ("the codes come from the `d` that is stored", by_mistake("stored")),
    ("numbers are divided by `d`, not multiplied by its rounded inverse", by_mistake("divides")),
    ("product and sum are not rounded to float32", by_mistake("double")),
    ("the high byte of `d` stands first", by_mistake("big")),
    ("`d` stands behind its codes", by_mistake("behind")),
    ("a row's scales all stand before its codes", by_mistake("apart")),
)


def sized(n, count, *, dtype=torch.float32):
    """Blocks that differ in size by up to 2 ** 8."""

    def make(g):
        powers = 2.0 ** torch.randint(-6, 3, (n, count, 1), generator=g, device=g.device)
        w = torch.randn(n, count, 32, generator=g, device=g.device) * powers
        return (w.reshape(n, -1).to(dtype),)

    return make


def both_ends(g):
    """In each block two or three numbers share the largest magnitude, of both signs, in any order."""
    w = torch.randint(-7, 8, (8, 3, 32), generator=g, device=g.device).float() / 2
    place = torch.rand(8, 3, 32, generator=g, device=g.device).argsort(-1)[..., :3]
    ends = torch.where(torch.rand(8, 3, 3, generator=g, device=g.device) < 0.5, 4.0, -4.0)
    ends[..., 1] = -ends[..., 0]
    return (w.scatter(-1, place, ends).reshape(8, 96),)


def middles(g):
    """Numbers that lie, as far as float32 can say, in the middle between two codes, or beside it."""
    d = 0.5 + torch.rand(12, 4, 1, generator=g, device=g.device)
    half = torch.randint(-8, 8, (12, 4, 32), generator=g, device=g.device) + 0.5
    half[..., 8:] = half[..., 8:].abs() * -1
    w = half * d
    step = torch.randint(-1, 2, w.shape, generator=g, device=g.device)
    up = torch.nextafter(w, torch.full_like(w, torch.inf))
    down = torch.nextafter(w, torch.full_like(w, -torch.inf))
    w = torch.where(step == 0, w, torch.where(step == 1, up, down))
    w[..., 3:4] = -8 * d
    return (w.reshape(12, 128),)


def tiny(g):
    """Scales that float16 holds badly, or not at all: their codes are as good as any."""
    w = torch.randn(5, 4, 32, generator=g, device=g.device)
    powers = torch.tensor([1e-4, 1e-6, 1e-8, 1e-20], device=g.device).reshape(1, 4, 1)
    return ((w * powers).reshape(5, 128),)


def zeros(g):
    (w,) = sized(4, 4)(g)
    w[1, 32:64], w[3] = 0, 0
    return (w,)


def large(g):
    w = torch.rand(3, 64, generator=g, device=g.device) * 8e5 - 4e5
    w[:, 5], w[:, 40] = -499_999.0, 497_000.0
    return (w,)


def outliers(g):
    (w,) = sized(4, 3)(g)
    spot = torch.randint(0, 96, (4, 1), generator=g, device=g.device)
    return (w.scatter(1, spot, 60.0),)


def viewed(g):
    return (torch.randn(128, 10, generator=g, device=g.device).T[::2, 32:96],)


def drawn(g):
    n, count = (int(torch.randint(1, 7, (1,), generator=g, device=g.device)) for _ in range(2))
    return sized(n, count)(g)


CASES = (
    Case("one block", sized(1, 1)),
    Case("blocks of several sizes", sized(4, 5)),
    Case("one block a row", sized(6, 1)),
    Case("float16", sized(3, 4, dtype=torch.float16)),
    Case("bfloat16", sized(5, 2, dtype=torch.bfloat16)),
    Case("as large on both sides", both_ends),
    Case("in the middle between two codes", middles),
    Case("outliers", outliers),
    Case("blocks of zeros", zeros),
    Case("scales that float16 cannot hold", tiny),
    Case("numbers of hundreds of thousands", large),
    Case("views", viewed),
    Case("drawn", drawn),
)
