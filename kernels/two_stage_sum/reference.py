import torch

from tutor.judge.near_misses import of_loop
from tutor.judge.spec import Case, Work

ACCUMULATORS = "float32"
ATOMICS = False
LAST_PROGRAMS = 1  # of the second stage
LEAST_PROGRAMS = 31  # of the first stage, for the case of 262,000 elements
MOST_ACCESSES = 1.05  # each element is loaded once, by one program of one stage
WIDEST_BLOCK = 4096  # a share of any length does not fit in one block

BLOCK, PROGRAMS = 256, 32  # of the first stage, as the starter has them


def reference(x):
    return x.sum()


def eager(x):
    return x.sum()


def work(x):
    return Work(bytes=(x.numel() + 1) * x.element_size(), flops=x.numel())


def scale(x):
    # Rounding errors of a sum grow with the sum of magnitudes (Higham 1993), however small the sum
    # itself is. NaN and infinity are compared exactly and scale nothing.
    return torch.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0).abs().sum()


def explain_wrong(got, x):
    """The sentence for a result that is the sum of the first partial sums alone, else None."""
    step = BLOCK * PROGRAMS
    padded = torch.nn.functional.pad(x, (0, -x.numel() % step)).view(-1, PROGRAMS, BLOCK)
    partial = padded.double().sum((0, 2))
    bound = 4e-7 * float(scale(x))  # of rounding alone
    fitting = [k for k in range(1, PROGRAMS) if bool((got - partial[:k].sum()).abs() <= bound)]
    if len(fitting) != 1:
        return None
    first = "the first" if fitting[0] == 1 else f"that of the first {fitting[0]}"
    return (
        f"With blocks of {BLOCK}, the result is {first} of the {PROGRAMS} partial sums. The second "
        "stage has to add up all."
    )


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def vector(n, shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, n),)


def one_spike(g):
    x = torch.zeros(262_000, device=g.device)
    x[int(torch.randint(0, 262_000, (1,), generator=g, device=g.device))] = 1e4
    return (x,)


def a_sum_that_nearly_cancels(g):
    half = 100 * normal(g, 9000)
    return (torch.cat((half, -half, 5 + normal(g, 3))),)


def with_nan(g):
    x = normal(g, 3000)
    x[2999] = float("nan")
    return (x,)


def with_infinity(g):
    x = normal(g, 3000)
    x[1000] = float("-inf")
    return (x,)


def partials(x):
    """The partial sum of each program of the first stage."""
    padded = torch.nn.functional.pad(x, (0, -x.numel() % (BLOCK * PROGRAMS)))
    return padded.view(-1, PROGRAMS, BLOCK).sum((0, 2))


NEAR_MISSES = (
    *of_loop(lambda start, stop, x: x[start:stop].sum(), lambda x: x.numel()),
    (
        "only the first half of the partial sums is added",
        lambda x: partials(x)[: PROGRAMS // 2].sum(),
    ),
    ("only the first partial sum counts", lambda x: partials(x)[0]),
    ("only the last partial sum counts", lambda x: partials(x)[-1]),
    ("the largest partial sum is taken", lambda x: partials(x).amax()),
    ("the sum is divided by the number of elements", lambda x: x.mean()),
    ("the absolute values are added", lambda x: x.abs().sum()),
    ("the squares are added", lambda x: x.square().sum()),
)


CASES = (
    Case("one element", vector(1)),
    Case("two elements", vector(2)),
    Case("one short of the block", vector(255)),
    Case("exactly one block", vector(256)),
    Case("one past the block", vector(257)),
    Case("a block for each of 32 programs", vector(32 * 256)),
    Case("one more than that", vector(32 * 256 + 1, 5.0)),
    Case("many steps and a tail", vector(30_011, 1.0)),
    Case("nothing but ones", lambda g: (torch.ones(33_333, device=g.device),)),
    Case("nothing but zeros", lambda g: (0 * normal(g, 500),)),
    Case("nothing but negative numbers", vector(5000, -100.0)),
    Case("times 10,000", vector(20_000, 0.0, 1e4)),
    Case("one spike", one_spike),
    Case("a sum that nearly cancels", a_sum_that_nearly_cancels),
    Case("a NaN", with_nan),
    Case("an infinity", with_infinity),
)
TIMING = Case("64 Mi elements", vector(1 << 26))
