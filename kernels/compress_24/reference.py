import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
PROMISED = (
    ("K is a multiple of 8", lambda w: w.shape[1] % 8 == 0 and w.shape[1] > 0),
    (
        "at most two of each four neighbours are not zero",
        lambda w: bool(((w != 0).reshape(w.shape[0], -1, 4).sum(-1) <= 2).all()),
    ),
)


def places(w, spare=(2, 3)):
    """Return the two kept places of each group, in order, [N, K / 4, 2]. `spare`: what fills up."""
    there = (w != 0).reshape(w.shape[0], -1, 4).clone()
    for each in spare:
        lacks = there.sum(-1) < 2
        there[..., each] |= lacks
    index = torch.arange(4, device=w.device).expand(there.shape)
    return index[there].reshape(*there.shape[:2], 2)


def as_bytes(t):
    return t.contiguous().view(torch.uint8).reshape(t.shape[0], -1)


def compressed(w, change=""):
    """Return the bytes. The option names a mistake."""
    fill = {"first zeros": (0, 1, 2), "last zeros": (3, 2, 1), "place 3 first": (3, 2)}
    place = places(w, fill.get(change, (2, 3)))
    group = w.reshape(w.shape[0], -1, 4)
    if change == "larger first":
        size = group.double().abs().gather(-1, place)
        place = torch.where(size[..., :1] < size[..., 1:], place.flip(-1), place)
    if change == "later first":
        place = place.flip(-1)
    values = group.gather(-1, place)
    first, second = place[..., 0], place[..., 1]
    four = first + 4 * second
    if change == "high bits first":
        four = second + 4 * first
    if change == "flags":
        four = 2**first + 2**second
    if change == "from the end":
        four = (3 - first) + 4 * (3 - second)
    if change == "distance":
        four = first + 4 * (second - first)
    pairs = four.reshape(len(w), -1, 2)
    one, other = pairs[..., 0], pairs[..., 1]
    indices = (other + 16 * one if change == "groups exchanged" else one + 16 * other).to(
        torch.uint8
    )
    if change == "halves of the row":
        half = four.shape[1] // 2
        indices = (four[:, :half] + 16 * four[:, half:]).to(torch.uint8)
    if change == "words turned" and indices.shape[1] % 2 == 0:
        indices = indices.reshape(len(w), -1, 2).flip(-1).reshape(len(w), -1)
    parts = (as_bytes(values.reshape(len(w), -1)), indices)
    if change == "all values first":
        whole = torch.cat([part.reshape(-1) for part in parts])
        return whole.reshape(len(w), -1)
    if change == "first places, then second":
        both = group.gather(-1, place)
        parts = (as_bytes(torch.cat((both[..., 0], both[..., 1]), 1)), indices)
    return torch.cat(parts[::-1] if change == "indices first" else parts, 1)


def reference(w):
    return compressed(w)


eager = reference


def scale(w):
    return 0.0


def work(w):
    size = w.element_size()
    return Work(bytes=w.numel() * size + w.numel() * size // 2 + w.numel() // 8, flops=w.numel())


def by_mistake(change):
    return lambda w: compressed(w, change)


NEAR_MISSES = (
    ("the second place is in the low two bits", by_mistake("high bits first")),
    ("the later value of a group stands first, and so does its place", by_mistake("later first")),
    ("the larger value of a group stands first, and so does its place", by_mistake("larger first")),
    ("four flags say which places are kept", by_mistake("flags")),
    ("places are counted from the end of a group", by_mistake("from the end")),
    ("the second place is counted from the first one", by_mistake("distance")),
    ("a byte has the second of its two groups in the low bits", by_mistake("groups exchanged")),
    ("a byte has groups of both halves of the row", by_mistake("halves of the row")),
    ("the bytes of each word of indices are exchanged", by_mistake("words turned")),
    ("groups are filled up with their first zeros", by_mistake("first zeros")),
    ("groups are filled up with their last zeros", by_mistake("last zeros")),
    ("place 3 fills up before place 2", by_mistake("place 3 first")),
    ("the indices of a row stand before its values", by_mistake("indices first")),
    ("all rows' values stand before all indices", by_mistake("all values first")),
    (
        "the first values of all groups stand before the second ones",
        by_mistake("first places, then second"),
    ),
)


def explain_wrong(got, w):
    size = w.element_size()
    k = w.shape[1]
    index = got[:, k // 2 * size :].int()
    four = torch.stack((index & 15, index >> 4), -1).reshape(len(w), -1)
    bad = ((four & 3) >= (four >> 2)).nonzero()
    if len(bad):
        row, group = bad[0].tolist()
        first, second = int(four[row, group]) & 3, int(four[row, group]) >> 2
        return (
            f"The row's last bytes, read as indices, give group {group} of row {row} the places {first} "
            f"and {second}. The first has to be the lower one."
        )
    return None


def drawn_weight(g, rows, k, kept, dtype=torch.int16):
    """A weight of which `kept` places of each four, a number or [rows, K / 4, 1], are not zero."""
    top = torch.iinfo(dtype).max
    w = torch.randint(1, top + 1, (rows, k // 4, 4), generator=g, device=g.device)
    sign = torch.randint(0, 2, w.shape, generator=g, device=g.device) * 2 - 1
    order = torch.rand(w.shape, generator=g, device=g.device).argsort(-1)
    return torch.where(order < kept, w * sign, 0).reshape(rows, k).to(dtype)


def two_kept(rows, k, dtype=torch.int16):
    return lambda g: (drawn_weight(g, rows, k, 2, dtype),)


def fewer(rows, k, dtype):
    """Groups with two, one or no number that is not zero."""

    def make(g):
        kept = torch.randint(0, 3, (rows, k // 4, 1), generator=g, device=g.device)
        return (drawn_weight(g, rows, k, kept, dtype),)

    return make


def of_float16(g):
    """The bits of a pruned float16 weight with numbers of many sizes."""
    w = torch.randn(4, 12, 4, generator=g, device=g.device)
    w = w * 2.0 ** torch.randint(-20, 5, w.shape, generator=g, device=g.device)
    order = torch.rand(w.shape, generator=g, device=g.device).argsort(-1)
    w = torch.where((order < 2) & (w.half() != 0), w, 0.0)
    return (w.reshape(4, 48).half().view(torch.int16),)


def patterns(g):
    """Each of the eleven sets of places that a group may have, beside each other one."""
    sets = [s for s in range(16) if bin(s).count("1") <= 2]
    flags = torch.tensor([[s >> i & 1 for i in range(4)] for s in sets], device=g.device)
    order = torch.randperm(11, generator=g, device=g.device)
    pairs = torch.stack((flags[order].repeat_interleave(11, 0), flags.repeat(11, 1)), 1)
    value = torch.randint(-300, 300, pairs.shape, generator=g, device=g.device)
    return (torch.where(pairs == 1, torch.where(value == 0, 7, value), 0).reshape(11, 88).short(),)


def at_the_ends(g):
    """-128, 127, -1 and 1, and groups that have to be filled up."""
    ends = torch.tensor([-128, 127, -1, 1], device=g.device, dtype=torch.int8)
    (w,) = fewer(5, 40, torch.int8)(g)
    pick = torch.randint(0, 4, w.shape, generator=g, device=g.device)
    return (torch.where(w == 0, w, ends[pick]),)


def viewed(g):
    (wide,) = fewer(12, 64, torch.int16)(g)
    return (wide.T.contiguous().T[::3, 16:56],)


def drawn(g):
    rows = int(torch.randint(1, 8, (1,), generator=g, device=g.device))
    k = 8 * int(torch.randint(1, 9, (1,), generator=g, device=g.device))
    return fewer(rows, k, torch.int16)(g)


CASES = (
    Case("one byte of indices", two_kept(1, 8)),
    Case("two of each four", two_kept(4, 48)),
    Case("int8", two_kept(3, 40, torch.int8)),
    Case("int8, fewer than two", fewer(4, 56, torch.int8)),
    Case("each set of places", patterns),
    Case("bits of float16 numbers", of_float16),
    Case("int8 at its ends, fewer than two", at_the_ends),
    Case("a view", viewed),
    Case("drawn", drawn),
)
