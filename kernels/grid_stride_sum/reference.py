import torch

from tutor.judge.spec import Case, Work

ACCUMULATORS = "float32"
MOST_ACCESSES = 1.5  # of 40,009 elements and 7 programs: each element is loaded once
ATOMICS = False  # no two programs store to one place
LEAST_PROGRAMS = 7  # of the case that moves most: 40,009 elements, 7 programs
MOST_LAUNCHES = 1  # the programs of one launch share the vector
WIDEST_BLOCK = 4096  # a vector of any length does not fit in one block
BLOCK = 256


def _by_program(x, programs):
    """The elements as [programs, …]: those of one program in a row, zeros where there are none."""
    step = BLOCK * programs
    padded = torch.nn.functional.pad(x, (0, -x.numel() % step))
    return padded.view(-1, programs, BLOCK).transpose(0, 1).reshape(programs, -1)


def reference(x, programs):
    return _by_program(x, programs).sum(1)


def eager(x, programs):
    return _by_program(x, programs).sum(1)


def work(x, programs):
    return Work(bytes=(x.numel() + programs) * x.element_size(), flops=x.numel())


def scale(x, programs):
    # Rounding errors of a sum grow with the sum of magnitudes (Higham 1993), however small the sum
    # itself is. NaN and infinity are compared exactly and scale nothing.
    known = torch.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0).abs()
    return _by_program(known, programs).sum(1)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def vector(n, programs, shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, n), programs)


def sums_that_nearly_cancel(g):
    half = 100 * normal(g, 1024)
    return torch.cat((half, -half, normal(g, 5))), 2


def with_nan_and_infinities(g):
    x = normal(g, 2000)
    x[3], x[300], x[700] = float("nan"), float("inf"), float("-inf")
    x[1030], x[1100] = float("inf"), float("-inf")  # their sum is NaN
    return x, 6


def steps(x, programs):
    """Return the sums of blocks by step and program: step s of program p is block s * programs + p."""
    return _by_program(x, programs).view(programs, -1, BLOCK).sum(2).T


def last_blocks(x, programs):
    count = -(-x.numel() // BLOCK)
    last = [max(range(p, count, programs), default=p) for p in range(programs)]
    return steps(x, programs).reshape(-1)[last]


def to_the_end(x, programs):
    blocks = steps(x, programs).reshape(-1)
    return torch.stack([blocks[p:].sum() for p in range(programs)])


NEAR_MISSES = (
    ("each program adds its first block alone", lambda x, programs: steps(x, programs)[0]),
    ("each program stores the sum of its last block alone", last_blocks),
    ("each program adds every block from its first one to the end", to_the_end),
    ("each program takes every second of its blocks", lambda x, programs: (
        steps(x, programs)[::2].sum(0))),
    ("the squares are added", lambda x, programs: reference(x * x, programs)),
    ("the absolute values are added", lambda x, programs: reference(x.abs(), programs)),
    ("every program adds all elements", lambda x, programs: x.sum().expand(programs)),
    ("the sum is divided by the number of elements", lambda x, programs: (
        reference(x, programs) / x.numel())),
    ("each program keeps the sum of its first lanes alone", lambda x, programs: (
        _by_program(x, programs).view(programs, -1, BLOCK)[..., 0].sum(1))),
)  # fmt: skip


CASES = (
    Case("one element, one program", vector(1, 1)),
    Case("one element, three programs", vector(1, 3)),
    Case("one short of the block", vector(255, 2)),
    Case("exactly one block", vector(256, 2)),
    Case("one past the block", vector(257, 2)),
    Case("1000 elements, one program", vector(1000, 1)),
    Case("1000 elements, two programs", vector(1000, 2)),
    Case("every program has as many blocks", vector(256 * 12, 3)),
    Case("many steps and a tail", vector(40_009, 7)),
    Case("one program, 157 steps", vector(40_009, 1)),
    Case("more programs than blocks", vector(1500, 64)),
    Case("nothing but ones", lambda g: (torch.ones(3333, device=g.device), 3)),
    Case("nothing but zeros", lambda g: (0 * normal(g, 500), 2)),
    Case("all near 5", vector(4000, 3, 5.0)),
    Case("times 10,000", vector(2500, 3, 0.0, 1e4)),
    Case("sums that nearly cancel", sums_that_nearly_cancel),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("64 Mi elements, 2048 programs", vector(1 << 26, 2048))
