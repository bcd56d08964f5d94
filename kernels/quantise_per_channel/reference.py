import torch

from tutor.judge.spec import Case, Work


def mapped(w, axis, bits, *, change=""):
    """Codes and restored numbers, a channel at a time. The option names a mistake."""
    w = w.double()
    rows = w.movedim(axis, 0)
    if change == "the axis goes":
        rows = w.transpose(axis, -1).movedim(-1, 0) if w.dim() > 1 else w
    out = torch.empty(2, *w.shape, dtype=torch.float64, device=w.device)
    if change == "along":
        largest = w.abs().amax(axis, keepdim=True)
        return both(w, largest, bits)
    if change == "one scale":
        return both(w, w.abs().max(), bits)
    if change == "axis 0":
        others = list(range(1, w.dim()))
        return both(w, w.abs().amax(others, keepdim=True) if others else w.abs(), bits)
    for channel in range(w.shape[axis]):
        part = rows[channel]
        largest = float(part.max() if change == "signed" else part.abs().max())
        if change == "mean":
            largest = float(part.abs().mean())
        done = both(part, torch.tensor(largest, dtype=torch.float64), bits, change)
        out.select(axis % w.dim() + 1, channel).copy_(done)
    return out


def both(w, largest, bits, change=""):
    limit = 2 ** (bits - 1) - (0 if change == "one too many" else 1)
    if change == "all bits":
        limit = 2**bits - 1
    if change == "eight":
        limit = 127
    scale = largest / limit
    if change != "signed":
        scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    ratio = w * (1.0 / scale) if change == "inverse" else w / scale
    codes = torch.trunc(ratio) if change == "cut" else torch.round(ratio)
    restored = codes if change == "no scale" else codes * scale
    return torch.stack([codes, restored])


def reference(w, axis, bits):
    return mapped(w, axis, bits)


eager = reference


def by_mistake(change):
    return lambda *args: mapped(*args, change=change)


NEAR_MISSES = (
    ("the maximum is taken along `axis`, so each channel has many scales", by_mistake("along")),
    ("the whole tensor has one scale", by_mistake("one scale")),
    ("the channels are those of the first axis", by_mistake("axis 0")),
    ("the scale divides by 2 ** (bits - 1), one more than the largest code", by_mistake("one too many")),
    ("the scale divides by 2 ** bits - 1", by_mistake("all bits")),
    ("the codes have eight bits whatever is asked for", by_mistake("eight")),
    ("the largest number is looked for, not the largest magnitude", by_mistake("signed")),
    ("the scale comes from the mean magnitude", by_mistake("mean")),
    ("the fraction is cut off, not rounded", by_mistake("cut")),
    ("the number is multiplied by 1 / scale, which is rounded twice", by_mistake("inverse")),
    ("the codes are not multiplied by their scales on the way back", by_mistake("no scale")),
)  # fmt: skip


def work(w, axis, bits):
    return Work(bytes=8 * 3 * w.numel(), flops=3 * w.numel())


def case(shape, axis, bits, *, dtype=torch.float64, dead=(), tiny=False, same=False):
    """Weights whose channels along `axis` differ in size by up to 2 ** 6."""

    def make(g):
        w = torch.randn(shape, generator=g, device=g.device, dtype=torch.float64)
        if not same:
            sizes = [1] * len(shape)
            sizes[axis] = shape[axis]
            powers = torch.randint(-3, 4, sizes, generator=g, device=g.device)
            w = w * 2.0**powers
        if tiny:
            w = w * 1e-150
        for channel in dead:
            w.select(axis, channel).zero_()
        return w.to(dtype), axis, bits

    return make


def negative(g):
    """The number that is largest in magnitude is below 0 in each channel."""
    w = torch.rand(6, 30, generator=g, device=g.device, dtype=torch.float64) - 0.1
    at = torch.randint(0, 30, (6,), generator=g, device=g.device)
    w[torch.arange(6, device=g.device), at] = -3.0 - torch.rand(
        6, generator=g, device=g.device, dtype=torch.float64
    )
    return w, 0, 8


def halves(g):
    """The scale is 0.5, and numbers are whole multiples of 0.25."""
    w = torch.randint(-250, 251, (4, 40), generator=g, device=g.device).double() / 4
    w[:, 7] = 63.5
    return w.clone(), 0, 8


def halves_of_49(g):
    """The scale is 49 and the numbers lie in the middle between two codes; 1 / 49 is rounded."""
    w = 49.0 * (torch.randint(-120, 120, (4, 40), generator=g, device=g.device).double() + 0.5)
    w[:, 3] = 49.0 * 127
    return w, 0, 8


def outlier(g):
    w = torch.randn(16, 64, generator=g, device=g.device, dtype=torch.float64)
    w[5, 9] = 400.0
    return w, 0, 8


def view(g):
    w = torch.randn(40, 30, 3, generator=g, device=g.device, dtype=torch.float64)
    return w.transpose(0, 1)[::2, 3:], 1, 8


def drawn(g):
    shape = torch.randint(1, 7, (int(torch.randint(2, 5, (1,), generator=g)),), generator=g)
    axis = int(torch.randint(-len(shape), len(shape), (1,), generator=g))
    bits = int(torch.randint(2, 9, (1,), generator=g))
    return case(tuple(shape.tolist()), axis, bits)(g)


CASES = (
    Case("a weight of a linear layer, rows", case((24, 40), 0, 8)),
    Case("columns", case((24, 40), 1, 8)),
    Case("as many rows as columns, columns", case((20, 20), 1, 8)),
    Case("the last axis by -1", case((5, 6, 7), -1, 8)),
    Case("the first axis by -3", case((5, 6, 7), -3, 8)),
    Case("a convolution's weight", case((8, 3, 3, 3), 0, 8)),
    Case("a transposed convolution's weight", case((6, 8, 3, 3), 1, 8)),
    Case("four bits", case((9, 50), 0, 4)),
    Case("two bits", case((9, 50), 1, 2)),
    Case("one axis", case((12,), 0, 8)),
    Case("one number", case((1, 1), 0, 8)),
    Case("float32", case((16, 33), 0, 8, dtype=torch.float32)),
    Case("float16", case((16, 33), 1, 8, dtype=torch.float16)),
    Case("bfloat16, six bits", case((16, 3, 5), 1, 6, dtype=torch.bfloat16)),
    Case("two channels of zeros", case((9, 20), 0, 8, dead=(2, 8))),
    Case("nothing but zeros", case((3, 4), 1, 8, dead=(0, 1, 2, 3))),
    Case("very small numbers", case((6, 20), 0, 8, tiny=True)),
    Case("the largest magnitude is negative", negative),
    Case("halves", halves),
    Case("halves of a scale of 49", halves_of_49),
    Case("one outlier", outlier),
    Case("a view", view),
    Case("drawn", drawn),
    Case("drawn again", drawn),
)
