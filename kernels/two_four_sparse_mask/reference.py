import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
COPIES = False
MOST_LAUNCHES = 1
WIDEST_BLOCK = 4096
LEAST_PROGRAMS = 8
LOADED_ONCE = ("w",)
MOST_ACCESSES = 1.5  # a second load of each number has 1.67 at least, a second store 1.33 at most
PROMISED = (("K is a multiple of 4", lambda w: w.shape[1] % 4 == 0 and w.shape[1] > 0),)


def ranked(group, *, ties="first"):
    """Return how many of its group (the last axis, of four) beat each number, int64."""
    mine, other = group[..., :, None], group[..., None, :]
    place = torch.arange(4, device=group.device)
    before = place[None, :] < place[:, None]
    beats = other > mine
    if ties == "first":
        beats = beats | ((other == mine) & before)
    if ties == "last":
        beats = beats | ((other == mine) & before.T)
    return beats.sum(-1)


def groups(w):
    return w.reshape(*w.shape[:-1], -1, 4)


def mask_of(keep, w):
    return keep.reshape(w.shape).to(torch.int8)


def reference(w):
    return mask_of(ranked(groups(w.abs())) < 2, w)


eager = reference


def scale(w):
    return 0.0


def work(w):
    return Work(bytes=w.numel() * (w.element_size() + 1), flops=3 * w.numel())


def by(keep):
    """A near miss from which numbers of the groups of magnitudes are kept."""
    return lambda w: mask_of(keep(groups(w.abs())), w)


def down_the_columns(w):
    """Yield it with four neighbours of a column as the group, where the rows allow it."""
    if w.shape[0] % 4 == 0:
        yield reference(w.T.contiguous()).T.contiguous()


def a_quarter_apart(w):
    apart = w.reshape(w.shape[0], 4, -1).transpose(1, 2)
    return reference(apart.reshape(w.shape)).reshape(apart.shape).transpose(1, 2).reshape(w.shape)


def half_of_each_row(w):
    order = w.abs().argsort(dim=1, descending=True, stable=True)
    keep = torch.zeros_like(w, dtype=torch.int8)
    return keep.scatter(1, order[:, : w.shape[1] // 2], 1)


def one_of_two(w):
    pairs = w.abs().reshape(w.shape[0], -1, 2)
    first = pairs[..., :1] >= pairs[..., 1:]
    return mask_of(torch.cat((first, ~first), -1), w)


NEAR_MISSES = (
    (
        "of numbers as large the last one counts",
        by(lambda size: ranked(size, ties="last") < 2),
    ),
    (
        "all numbers as large as the second largest are kept",
        by(lambda size: ranked(size, ties="none") < 2),
    ),
    (
        "numbers are compared with their signs",
        lambda w: mask_of(ranked(groups(w)) < 2, w),
    ),
    ("the two smallest of each group are kept", by(lambda size: ranked(size) >= 2)),
    ("three of each group are kept", by(lambda size: ranked(size) < 3)),
    ("one of each group is kept", by(lambda size: ranked(size) < 1)),
    ("one of each two neighbours is kept", one_of_two),
    ("a group is four neighbours of a column", down_the_columns),
    ("the numbers of a group stand K / 4 apart", a_quarter_apart),
    ("half of each row is kept, whatever its group", half_of_each_row),
    (
        "the first two of each group are kept",
        by(lambda size: (torch.arange(4, device=size.device) < 2).expand(size.shape)),
    ),
    (
        "all that lie above the mean magnitude of their group are kept",
        by(lambda size: size > size.mean(-1, keepdim=True)),
    ),
)


def explain_wrong(got, w):
    if bool(((got != 0) & (got != 1)).any()):
        return None
    kept = got.reshape(w.shape[0], -1, 4).sum(-1)
    off = (kept != 2).nonzero()
    if len(off):
        row, group = off[0].tolist()
        first = 4 * group
        return (
            f"In row {row} you keep {int(kept[row, group])} of the numbers {first} to {first + 3}. "
            "Two of each four are to be kept."
        )
    return None


def normal(rows, columns, dtype=torch.float32):
    def make(g):
        return (torch.randn(rows, columns, generator=g, device=g.device).to(dtype),)

    return make


def small_whole_numbers(g):
    """Many numbers of a group are as large, with either sign."""
    return (torch.randint(-2, 3, (16, 24), generator=g, device=g.device).float(),)


def one_size(g):
    """All numbers of a group are as large: zeros and halves, of both signs, and one larger at times."""
    sign = torch.randint(0, 2, (8, 12), generator=g, device=g.device).float() * 2 - 1
    size = torch.randint(0, 2, (8, 3, 1), generator=g, device=g.device).expand(8, 3, 4) / 2
    w = sign * size.reshape(8, 12)
    spot = torch.randint(0, 12, (4, 1), generator=g, device=g.device)
    w[4:] = w[4:].scatter(1, spot, -3.0)
    return (w,)


def close(g):
    """Neighbours among the float32 numbers: float16 would make them equal, and so would a key in which
    the place takes the lowest bits. Where they are large, their logarithms are equal as well."""
    base = 1 + torch.rand(6, 9, 1, generator=g, device=g.device)
    base[3:] *= 2.0**60
    steps = torch.rand(6, 9, 4, generator=g, device=g.device).argsort(-1)
    sign = torch.randint(0, 2, (6, 9, 4), generator=g, device=g.device) * 2 - 1
    neighbours = (base.view(torch.int32) + steps.to(torch.int32)).view(torch.float32)
    return ((neighbours * sign).reshape(6, 36),)


def far(g):
    """Magnitudes from 1e-37 to 1e38: their squares are 0 or infinite."""
    ends = torch.tensor([1e-37, 1e-30, 1e30, 1e38], device=g.device)
    which = torch.randint(0, 2, (6, 10, 1), generator=g, device=g.device) * 2
    pick = which + torch.randint(0, 2, (6, 10, 4), generator=g, device=g.device)
    part = 1 + torch.rand(6, 10, 4, generator=g, device=g.device)
    return ((ends[pick] * part * (1 - 2 * (part > 1.5).float())).reshape(6, 40),)


def transposed(g):
    return (torch.randn(52, 9, generator=g, device=g.device).half().T,)


def part_of_a_wider(g):
    """Rows and columns that are taken out of a larger tensor, so no stride is K or 1."""
    return (torch.randn(14, 90, generator=g, device=g.device)[::2, 7:87:2],)


def sixteenth_notes(g):
    """float16 numbers of a coarse grid, so that groups have ties."""
    w = torch.randint(-40, 41, (7, 264), generator=g, device=g.device)
    return ((w / 16).half(),)


def drawn(g):
    rows = int(torch.randint(1, 12, (1,), generator=g, device=g.device))
    columns = 4 * int(torch.randint(1, 40, (1,), generator=g, device=g.device))
    return normal(rows, columns)(g)


CASES = (
    Case("one group", normal(1, 4)),
    Case("small whole numbers", small_whole_numbers),
    Case("groups of one magnitude", one_size),
    Case("numbers that float16 cannot tell apart", close),
    Case("magnitudes from 1e-37 to 1e38", far),
    Case("float16, transposed", transposed),
    Case("a part of a larger tensor", part_of_a_wider),
    Case("float16 with ties, one group past 256 numbers", sixteenth_notes),
    Case("long rows, past 1,024 and 4,096", normal(2, 4104)),
    Case("drawn", drawn),
    Case("the largest: 40 rows of 516", normal(40, 516)),
)
TIMING = Case("8,192 x 8,192, float16", normal(8192, 8192, torch.float16))
