import runpy
from pathlib import Path

import torch

from tutor.judge.spec import Case, Work

PROBE = runpy.run_path(str(Path(__file__).with_name("probe.py")))
HEADS, WIDTH = 8, 96
SLACK = 2.0**-19  # of a number: what float32 loses before the one rounding
WHY = {
    "PROGRAMS": (235, "60,000 is no multiple of 256: the rest needs a program of its own."),
    "MASKED": (160, "The programs together have 235 * 256 lanes. Subtract the elements."),
    "BIAS": (34, "The line with x0 says which: the column of element 1234."),
    "BYTES": (480_240, "Count 4 bytes for each element read and written, and the bias once."),
}


def written(h, w, *, shift=False, epsilon=1e-5, slope=0.25, root=True, divide=WIDTH):
    if shift:
        h = h - h.mean(-1, keepdim=True)
    mean = h.square().sum(-1, keepdim=True) / divide + epsilon
    y = h * (torch.rsqrt(mean) if root else 1 / mean) * w[:, None]
    return torch.where(y > 0, y, slope * y)


def reference(x, w):
    return written(x, w)


def eager(x, w):
    return written(x.float(), w).to(torch.float16)


def work(x, w):
    moved = 2 * x.numel() * x.element_size() + w.numel() * w.element_size()
    return Work(bytes=moved, flops=6 * x.numel())


def scale(x, w):
    # An element can be as large as sqrt(96) times the weight of its head.
    return w.abs().clamp(min=1e-3)[:, None] * WIDTH**0.5


NEAR_MISSES = tuple(
    (phrase, lambda x, w, change=change: written(x, w, **change))
    for phrase, change in (
        ("each row loses its mean first", {"shift": True}),
        ("the sum of squares is not divided by 96", {"divide": 1}),
        ("the sum of squares is divided by 128, the size of the block", {"divide": 128}),
        ("the factor has no root", {"root": False}),
        ("negative numbers become 0", {"slope": 0.0}),
        ("negative numbers keep a hundredth", {"slope": 0.01}),
        ("negative numbers are left as they are", {"slope": 1.0}),
        ("nothing is added under the root", {"epsilon": 0.0}),
    )
)


def check_module(constants):
    """Return one sentence on the first of the four numbers that is wrong, else None."""
    for name, (want, why) in WHY.items():
        value = constants.get(name)
        if isinstance(value, bool) or not isinstance(value, int):
            return f"{name} must be a whole number: read the kernel with notes."
        if value != want:
            return f"{name} is {value}. {why}"
    return None


def check_found(found):
    """(code, sentence) where numbers were rounded before the last step, else None."""
    want = reference(*(each.double() for each in PROBE["arguments"]())).flatten()
    got = torch.tensor(found["numbers"], dtype=torch.float64)
    exponent = torch.frexp(want).exponent.double().clamp(min=-13)  # below it the steps stay as they are
    half = 2.0 ** (exponent - 12)  # half a step of float16
    off = ((got - want).abs() > half + SLACK * want.abs()).nonzero().flatten().tolist()
    if off:
        return "wrong-values", (
            f"{len(off)} of {len(got)} numbers were rounded more than once: number {off[0]} is "
            f"{got[off[0]]:.6g}, and {want[off[0]]:.6g} rounds to {want[off[0]].half().item():.6g}. The "
            "kernel computes in float32 to the end, and the store alone rounds."
        )
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def case(n, factor=1.0, shift=0.0):
    def make(g):
        x = (shift + factor * normal(g, n, HEADS, WIDTH)).to(torch.float16)
        return x, 1 + normal(g, HEADS)

    return make


def one_spike(g):
    x = torch.zeros(3, HEADS, WIDTH, dtype=torch.float16, device=g.device)
    x[1, 2, int(torch.randint(0, WIDTH, (1,), generator=g, device=g.device))] = 300.0
    return x, normal(g, HEADS)


CASES = (
    Case("512 rows of 8 heads", case(512)),
    Case("one row", case(1)),
    Case("eight rows", case(8)),
    Case("two rows near 5", case(2, shift=5.0)),
    Case("times 1000", case(13, factor=1000.0)),
    Case("divided by 1000", case(13, factor=1e-3)),
    Case("nothing but zeros", case(3, factor=0.0)),
    Case("nothing but negative numbers", case(4, factor=0.1, shift=-3.0)),
    Case("one spike", one_spike),
    Case("a weight of zero", lambda g: (normal(g, 5, HEADS, WIDTH).half(), normal(g, HEADS).relu())),
    Case("heads and rows exchanged", lambda g: (
        normal(g, HEADS, 6, WIDTH).half().transpose(0, 1), normal(g, HEADS))),
    Case("every second weight", lambda g: (normal(g, 7, HEADS, WIDTH).half(), normal(g, 16)[::2])),
)  # fmt: skip
