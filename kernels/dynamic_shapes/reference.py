import torch
import torch.nn.functional as F

from tutor.judge.spec import Budget, Case, Work

ROWS = (8, 16, 3, 12, 17, 2, 900, 6, 5, 41)  # none is 0 or 1: those always get code of their own
COLUMNS = 32
EPS = 1e-5
COMPILATIONS = Budget(first=len(ROWS), most=2)


def reference(x):
    return F.layer_norm(x, x.shape[-1:], eps=EPS)


def eager(x):
    return F.layer_norm(x, x.shape[-1:], eps=EPS)


def work(x):
    # A subtraction and a division each, and per number an addition for the mean, a subtraction, a
    # multiplication and an addition for the variance.
    return Work(bytes=2 * x.numel() * x.element_size(), flops=6 * x.numel())


def scale(x):
    # Rounding of the mean is relative to the numbers, and is divided by the deviation with the rest.
    # NaN and infinity are compared exactly and scale nothing.
    x = torch.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0)
    deviation = torch.sqrt(x.var(-1, correction=0, keepdim=True) + EPS)
    return 1 + x.abs().amax(-1, keepdim=True) / deviation


def check_module(constants):
    """Return one sentence on the two predictions where there are any and one is wrong, else None."""
    for name, right, why in (
        (
            "LIMITED_COMPILATIONS",
            4,
            "Without `dynamic` each new row count fails the guards of the versions before and is "
            "compiled for, until `recompile_limit` is reached.",
        ),
        (
            "LIMITED_UNCOMPILED_CALLS",
            18,
            "At `recompile_limit` torch compiles no more. A row count that fits none of the versions "
            "is run by Python in each round, and the versions stay in use.",
        ),
    ):
        if name in constants and constants[name] != right:
            return f"{name} is {constants[name]!r}. {why}"
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def one(*shape):
    return lambda g: (normal(g, *shape),)


def one_spike_in_each_row(g):
    x = normal(g, 7, COLUMNS)
    at = torch.randint(0, COLUMNS, (7, 1), generator=g, device=g.device)
    return (x.scatter_(1, at, 1e4),)


def with_nan_and_infinities(g):
    x = normal(g, 6, COLUMNS)
    x[1, 3], x[2, COLUMNS - 1], x[4, 0] = float("nan"), float("inf"), float("-inf")
    return (x,)


CASES = (
    *(Case(f"{rows} rows", one(rows, COLUMNS)) for rows in ROWS),
    Case("another width", one(12, 781)),
    Case("one row", one(1, COLUMNS)),
    Case("three dimensions", one(3, 4, 50)),
    Case("transposed view", lambda g: (normal(g, 48, 20).T,)),
    Case("every second column", lambda g: (normal(g, 9, 64)[:, ::2],)),
    Case("nothing but zeros", lambda g: (torch.zeros(9, COLUMNS, device=g.device),)),
    Case("one spike in each row", one_spike_in_each_row),
    Case("NaN and infinities", with_nan_and_infinities),
    Case("far from zero", lambda g: (50 + normal(g, 10, COLUMNS),)),
    Case("nearly constant rows", lambda g: (1e-3 * normal(g, 7, COLUMNS),)),
)
TIMING = Case("8192 rows of 1024", one(8192, 1024))
TIMING_CPU = Case("2048 rows of 1024", one(2048, 1024))
