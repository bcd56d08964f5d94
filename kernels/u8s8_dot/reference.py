import torch

from tutor.judge.spec import Case, Work

OLD, NEW = "vpmaddubsw", "vpdpbusd"
PROMISED = (
    ("one of both texts", lambda x, w, start, instruction: instruction in (OLD, NEW)),
    (
        "M · N · K at most 200,000",
        lambda x, w, start, instruction: 0 < len(x) * w.numel() <= 200_000,
    ),
)
LOW, HIGH = -32768, 32767


def wrapped(total):
    return (total + 2**31) % 2**32 - 2**31


def dot(x, w, start, instruction, change=""):
    """The accumulators as integers, from tensors of any dtype. The option names a mistake."""
    x, w, start = (each.to(torch.int64) for each in (x, w, start))
    if change == "signed":
        x = torch.where(x > 127, x - 256, x)
    if change == "unsigned":
        w = w % 256
    k = x.shape[1]
    groups = -(-k // 4)
    if change == "drop":
        groups = k // 4
    a, b = (torch.zeros(len(each), 4 * groups, dtype=torch.int64) for each in (x, w))
    for whole, part in ((a, x), (b, w)):
        if change == "front":
            whole[:, 4 * groups - k :] = part
        else:
            whole[:, :k] = part[:, : 4 * groups]
    four = (a[:, None] * b).reshape(len(x), len(w), groups, 4)
    if change == "far":
        four = four[..., [0, 2, 1, 3]]
    if change == "ends":
        four = four[..., [0, 3, 1, 2]]
    pair = four[..., 0::2] + four[..., 1::2]
    saturates = (instruction == OLD) != (change == "exchanged") or change == "both"
    if saturates and change == "16 bits":
        pair = (pair + 2**15) % 2**16 - 2**15
    elif saturates and change not in ("none", "fours", "row", "together"):
        low = LOW + (change == "symmetric")
        pair = torch.where(pair < low, low, torch.where(pair > HIGH, HIGH, pair))
    sums = pair.sum(-1)
    if saturates and change == "fours":
        sums = sums.clamp(LOW, HIGH)
    total = sums.sum(-1)
    if saturates and change == "row":
        total = total.clamp(LOW, HIGH)
    if saturates and change == "together":
        total = total.clamp(2 * groups * LOW, 2 * groups * HIGH)
    if change != "start":
        total = total + start
    if change == "clamped":
        return total.clamp(-(2**31), 2**31 - 1).to(torch.int32)
    return wrapped(total).to(torch.int32)


def reference(x, w, start, instruction):
    return dot(x, w, start, instruction)


eager = reference


def work(x, w, start, instruction):
    return Work(
        bytes=x.numel() + w.numel() + 8 * start.numel(), flops=2 * start.numel() * x.shape[1]
    )


def by_mistake(change):
    return lambda x, w, start, instruction: dot(x, w, start, instruction, change)


NEAR_MISSES = (
    ("the sum of a pair wraps round in 16 bits", by_mistake("16 bits")),
    ("no pair saturates", by_mistake("none")),
    ("four products saturate together, and not each pair", by_mistake("fours")),
    ("the whole row saturates once, and not each pair", by_mistake("row")),
    ("all pairs of a row saturate together, and not each by itself", by_mistake("together")),
    ("pairs saturate with `vpdpbusd`, too", by_mistake("both")),
    ("each text stands for the other instruction", by_mistake("exchanged")),
    ("the lower limit is -32,767", by_mistake("symmetric")),
    ("bytes of `x` have a sign", by_mistake("signed")),
    ("bytes of `w` have no sign", by_mistake("unsigned")),
    ("the accumulator begins at 0", by_mistake("start")),
    ("bytes 0 and 2 are a pair", by_mistake("far")),
    ("bytes 0 and 3 are a pair", by_mistake("ends")),
    ("the first group is filled up in front", by_mistake("front")),
    ("bytes behind the last whole group are left out", by_mistake("drop")),
    ("the accumulator saturates, and does not wrap round", by_mistake("clamped")),
)


def bytes_of(g, rows, k, low, high, dtype):
    return torch.randint(low, high + 1, (rows, k), generator=g, device=g.device).to(dtype)


def drawn(m, n, k, instruction, *, top=2**20):
    """Bytes of the whole range."""

    def make(g):
        x = bytes_of(g, m, k, 0, 255, torch.uint8)
        w = bytes_of(g, n, k, -128, 127, torch.int8)
        start = bytes_of(g, m, n, -top, top, torch.int32)
        return x, w, start, instruction

    return make


def loud(m, n, k, instruction):
    """Large bytes of both signs, so that many pairs saturate on either side, and in the last group."""

    def make(g):
        x = bytes_of(g, m, k, 180, 255, torch.uint8)
        w = bytes_of(g, n, k, 90, 127, torch.int8)
        sign = torch.rand(n, (k + 1) // 2, generator=g, device=g.device) < 0.5
        sign = sign.repeat_interleave(2, 1)[:, :k]
        w = torch.where(sign, -1 - w, w)
        return x, w, bytes_of(g, m, n, -99, 99, torch.int32), instruction

    return make


def at_the_limits(g):
    """Pairs whose sums are the limits, and one beside them, in any order, beside zeros."""
    pairs = torch.tensor(
        [
            [255, 127, 191, 2],
            [255, 127, 128, 3],
            [254, 127, 254, 2],
            [255, -128, 128, -1],
            [255, -128, 129, -1],
            [254, -128, 128, -2],
        ],
        device=g.device,
    )
    place = torch.rand(6, 6, generator=g, device=g.device).argsort(1)
    some = pairs[place]
    x = some[..., 0::2].reshape(6, 12)
    w = some[..., 1::2].reshape(6, 12)
    quiet = torch.rand(6, 6, generator=g, device=g.device) < 0.3
    x = torch.where(quiet.repeat_interleave(2, 1), 0, x)
    start = bytes_of(g, 6, 6, -9, 9, torch.int32)
    return x.to(torch.uint8), w.to(torch.int8), start, OLD


def at_both_ends(instruction):
    """Accumulators so near to the ends of 32 bits that some wrap round."""

    def make(g):
        x, w, start, _ = loud(4, 6, 10, instruction)(g)
        start = torch.where(start > 0, 2**31 - 1 - start, -(2**31) - start)
        return x, w, start.to(torch.int32), instruction

    return make


def one_sign(g):
    """Sums beyond 2 ** 24, which float32 does not hold."""
    x = bytes_of(g, 3, 3001, 128, 255, torch.uint8)
    w = bytes_of(g, 5, 3001, 64, 127, torch.int8)
    return x, w, bytes_of(g, 3, 5, -3, 3, torch.int32), NEW


def viewed(instruction):
    def make(g):
        x = bytes_of(g, 18, 5, 0, 255, torch.uint8).T[:, ::2]
        w = bytes_of(g, 4, 20, -128, 127, torch.int8)[:, 3:12]
        start = bytes_of(g, 4, 5, -(2**31), 2**31 - 1, torch.int32).T
        return x, w, start, instruction

    return make


CASES = (
    Case("one group", loud(1, 1, 4, OLD)),
    Case("drawn bytes, vpmaddubsw", drawn(5, 7, 64, OLD)),
    Case("drawn bytes, vpdpbusd", drawn(7, 5, 48, NEW)),
    Case("loud bytes, vpmaddubsw", loud(6, 4, 32, OLD)),
    Case("loud bytes, vpdpbusd", loud(4, 6, 32, NEW)),
    Case("six bytes in a row", loud(5, 5, 6, OLD)),
    Case("37 bytes in a row", drawn(4, 9, 37, OLD)),
    Case("three bytes in a row", drawn(8, 3, 3, OLD)),
    Case("one byte in a row", drawn(3, 8, 1, NEW)),
    Case("pairs at the limits", at_the_limits),
    Case("accumulators at both ends, vpmaddubsw", at_both_ends(OLD)),
    Case("accumulators at both ends, vpdpbusd", at_both_ends(NEW)),
    Case("long rows of one sign", one_sign),
    Case("views, vpmaddubsw", viewed(OLD)),
    Case("views, vpdpbusd", viewed(NEW)),
)
TIMING = Case("rows of 1,024 bytes", drawn(8, 16, 1024, OLD))
