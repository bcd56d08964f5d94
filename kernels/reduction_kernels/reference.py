import torch

from tutor.judge.spec import Case, Work

WIDEST_BLOCK = 4096  # a row need not fit in one block
ACCUMULATORS = "float32"
MOST_ACCESSES = 1.15  # each element is loaded once; the two numbers a row are next to nothing


def reference(x):
    mean = x.mean(-1, keepdim=True)
    return torch.cat((mean, (x - mean).square().mean(-1, keepdim=True)), dim=-1)


def eager(x):
    return reference(x.float())


def work(x):
    return Work(bytes=x.numel() * x.element_size() + 8 * x.shape[0], flops=7 * x.numel())


def scale(x):
    # The mean's error grows with the numbers. The variance's error grows with the variance and with
    # the distances from the mean, which are as exact as the numbers are. Where all numbers are equal,
    # the square of the mean's error remains.
    size = x.abs().amax(-1, keepdim=True)
    variance = (x - x.mean(-1, keepdim=True)).square().mean(-1, keepdim=True)
    rest = torch.finfo(torch.float32).eps * size.square()
    return torch.cat((size, variance + size * variance.sqrt() + rest), dim=-1)


def with_variance(factor):
    """Return the near miss of a second number that is the variance times a factor of the columns."""
    return lambda x: reference(x) * torch.tensor([1.0, factor(x.shape[-1])], device=x.device)


def past_the_end(x):
    """Yield the results for lanes past the end of a row that count as columns of zeros."""
    for block in (64, 128, 256, 512, 1024):
        yield reference(torch.nn.functional.pad(x, (0, -x.shape[-1] % block)))


NEAR_MISSES = (
    ("the variance is divided by one less than the number of columns",
     with_variance(lambda n: n / (n - 1) if n > 1 else float("nan"))),
    ("the second number is not divided by the number of columns", with_variance(float)),
    ("lanes past the end of a row count as zeros", past_the_end),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def matrix(rows, columns, shift=0.0, factor=1.0, dtype=torch.float32):
    return lambda g: ((shift + factor * normal(g, rows, columns)).to(dtype),)


def ramp(g):
    steps = torch.arange(2500.0, device=g.device)
    return (steps + 10 * normal(g, 3, 1),)


CASES = (
    Case("one element", matrix(1, 1, 3.0)),
    Case("one column", matrix(9, 1)),
    Case("two columns", matrix(5, 2)),
    Case("one short of the block", matrix(3, 1023, 1.0)),
    Case("exactly one block", matrix(3, 1024, 1.0)),
    Case("one past the block", matrix(3, 1025, 5.0)),
    Case("many blocks and a tail", matrix(1, 40_009, -2.0)),
    Case("many short rows", matrix(30, 7)),
    Case("a ramp", ramp),
    Case("near 10,000, spread 1", matrix(4, 3000, 1e4)),
    Case("near -10,000, one block", matrix(4, 700, -1e4)),
    Case("nothing but fives", matrix(3, 1500, 5.0, 0.0)),
    Case("times 10,000", matrix(4, 1500, 0.0, 1e4)),
    Case("float16", matrix(6, 1300, 2.0, 3.0, torch.float16)),
    Case("float16 near 1000", matrix(3, 2100, 1000.0, 5.0, torch.float16)),
    Case("transposed view", lambda g: (normal(g, 4500, 3).T,)),
    Case("columns of a wider tensor", lambda g: (2 + normal(g, 4, 1700)[:, 100:1600],)),
)
TIMING = Case("4096 rows of 8192", matrix(4096, 8192))
