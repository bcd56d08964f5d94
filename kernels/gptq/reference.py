import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
PROMISED = (
    (
        "`group` is a whole number from 2 on that divides K",
        lambda w, x, group: group >= 2 and w.shape[1] % group == 0,
    ),
    ("not all of `x` is 0", lambda w, x, group: bool((x != 0).any())),
    ("`x`, `[T, K]`, are inputs", lambda w, x, group: w.shape[1] == x.shape[1]),
)


def hessian(x, change=""):
    x = x.double()
    if change == "centred":
        x = x - x.mean(0)
    h = x.T @ x
    diagonal = h.diagonal().clone()
    damping = 0.01 * diagonal.mean()
    if change == "tenth":
        damping = 0.1 * diagonal.mean()
    if change == "largest":
        damping = 0.01 * diagonal.max()
    if change == "own":
        damping = 0.01 * diagonal
    if change == "undamped":
        damping = 0.0
    return h + damping * torch.eye(len(h), dtype=h.dtype, device=h.device)


def rounded(w, x, group, *, change=""):
    """The columns one by one; after each the rest is solved for. The option names a mistake."""
    if w.shape[1] % group or group < 2:
        raise ValueError("the task's groups divide K")  # no smaller example has other ones
    w = w.double()
    h, k = hessian(x, change), w.shape[1]
    now, out = w.clone(), torch.zeros_like(w)
    for j in range(k):
        if j % group == 0:
            of = w if change == "given scales" else now
            scale = of[:, j : j + group].abs().amax(1) / (8 if change == "over 8" else 7)
        steps = torch.round(now[:, j] / torch.where(scale == 0, torch.inf, scale))
        if change != "no limit":
            steps = steps.clamp(-7 if change == "minus 7" else -8, 7)
        out[:, j] = steps * scale
        rest = slice(j + 1, k if change != "group" else (j // group + 1) * group)
        if change == "nearest" or now[:, rest].shape[1] == 0:
            continue
        pull = torch.linalg.solve(h[rest, rest], h[rest, j])
        now[:, rest] += (now[:, j] - out[:, j])[:, None] * (-pull if change == "sign" else pull)
    return out


def reference(w, x, group):
    return rounded(w, x, group)


eager = reference


def scale(w, x, group):
    """What rounding errors grow with: the damped H has a condition of at most 100 K + 1."""
    return float(w.abs().max()) * (100 * w.shape[1] + 1)


def work(w, x, group):
    n, k = w.shape
    return Work(bytes=9 * (w.numel() + x.numel()), flops=2 * k * k * (len(x) + n) + k**3)


def by_mistake(change):
    return lambda w, x, group: rounded(w, x, group, change=change)


NEAR_MISSES = (
    ("each number is rounded to the nearest, and no error is passed on", by_mistake("nearest")),
    ("errors are passed on within a group only", by_mistake("group")),
    ("the diagonal of H has nothing added to it", by_mistake("undamped")),
    ("each element of the diagonal has a hundredth of itself added", by_mistake("own")),
    ("a tenth of the mean is added to the diagonal, not a hundredth", by_mistake("tenth")),
    ("a hundredth of the diagonal's largest element is added", by_mistake("largest")),
    ("the scales are those of the given `w`", by_mistake("given scales")),
    ("the scale is the largest magnitude over 8", by_mistake("over 8")),
    ("the steps are limited to -7 to 7", by_mistake("minus 7")),
    ("the steps have no limit", by_mistake("no limit")),
    ("the columns behind change in the other direction", by_mistake("sign")),
    ("the mean of the inputs is taken off before H is made", by_mistake("centred")),
)


def normal(g, *size):
    return torch.randn(*size, generator=g, device=g.device, dtype=torch.float64)


def layer(n, k, t, group, *, dtype=torch.float64, loud=0, shift=0.0):
    """Inputs that go together, some of them loud, with a mean of `shift`."""

    def make(g):
        mix = 0.4 * normal(g, k, k) + torch.eye(k, dtype=torch.float64, device=g.device)
        x = normal(g, t, k) @ mix + shift
        if loud:
            x[:, torch.randperm(k, generator=g, device=g.device)[:loud]] *= 20
        return normal(g, n, k).to(dtype), x.to(dtype), group

    return make


def quiet(g):
    """Columns of x that are 0 throughout, and groups of w that are 0."""
    w, x, group = layer(6, 24, 60, 4)(g)
    x[:, [3, 8, 9, 23]] = 0
    w[:, 4:8] = 0
    x[:, :4] = 0  # so that nothing reaches the zeros of group 1
    w[2], w[4, 16:20] = 0, 0
    return w, x, group


def halves(g):
    """Inputs of which no two go together, and numbers in the middle between two steps: a scale is 1."""
    w = torch.randint(-13, 14, (5, 24), generator=g, device=g.device).double() / 2
    w[:, ::6] = 7.0
    return w, torch.diag(2.0 ** torch.randint(-2, 3, (24,), generator=g, device=g.device)), 6


def growing(g):
    """Four inputs that go together, each half as loud as the one before, and the largest number last.

    The last column has to make up for all, so it goes past the ends of its steps on both sides.
    """
    loud = torch.tensor([8.0, 4.0, 2.0, 1.0], dtype=torch.float64, device=g.device)
    x = (normal(g, 90, 4, 1) + 0.02 * normal(g, 90, 4, 4)) * loud
    w = 2 * torch.rand(12, 4, 4, generator=g, device=g.device, dtype=torch.float64) - 1
    w[..., 3] = 2 * w[..., 3].sign()
    return w.reshape(12, 16), x.reshape(90, 16), 4


def viewed(g):
    w = normal(g, 24, 20).float().T[::2, 4:20]
    return w, normal(g, 32, 50).float().T[::2, ::2], 8


def tiny(g):
    w, x, group = layer(4, 16, 40, 8)(g)
    return 1e-12 * w, x, group


def drawn(g):
    n, groups, group, t = (
        int(torch.randint(low, top, (1,), generator=g, device=g.device))
        for low, top in ((1, 8), (2, 6), (2, 9), (3, 70))
    )
    return layer(n, groups * group, t, group, loud=1)(g)


CASES = (
    Case("two groups of 8", layer(6, 16, 64, 8)),
    Case("groups of 16, loud inputs", layer(5, 48, 128, 16, loud=3)),
    Case("inputs with a mean", layer(4, 24, 96, 12, shift=1.5)),
    Case("one group", layer(9, 20, 64, 20, loud=1)),
    Case("one row, float32", layer(1, 32, 64, 8, dtype=torch.float32)),
    Case("pairs", layer(7, 12, 40, 2)),
    Case("fewer inputs than columns", layer(6, 32, 9, 8)),
    Case("one input", layer(3, 16, 1, 4)),
    Case("float16", layer(4, 32, 64, 16, dtype=torch.float16)),
    Case("numbers that outgrow their scale", growing),
    Case("zeros in both", quiet),
    Case("numbers in the middle between two steps", halves),
    Case("weights near 1e-12", tiny),
    Case("views", viewed),
    Case("drawn", drawn),
)
