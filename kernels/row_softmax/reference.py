import torch

from tutor.judge.spec import Case, Work

ACCUMULATORS = "float32"
LOADED_ONCE = ("x",)
MOST_TRAFFIC = 1.3  # a second launch, which reads the matrix again, needs 1.5


PROMISED = (
    ("at least one row", lambda x: x.shape[0] >= 1),
    ("1 to 16,384 columns", lambda x: 1 <= x.shape[1] <= 16_384),
)


def reference(x):
    return torch.softmax(x, dim=-1)


def eager(x):
    return torch.softmax(x, dim=-1)


def work(x):
    # A comparison, a difference, an exponential, an addition and a quotient an element.
    return Work(bytes=2 * x.numel() * x.element_size(), flops=5 * x.numel())


def scale(x):
    # Errors are measured against the row's own largest probability, so that a row of small ones
    # cannot hide behind a row that has a 1. Rows whose result is NaN are compared exactly.
    return torch.nan_to_num(torch.softmax(x, dim=-1), nan=0.0).amax(-1, keepdim=True)


LOG_2 = 0.6931471805599453


def exponentials(x):
    return torch.exp(x - x.amax(-1, keepdim=True))


NEAR_MISSES = (
    ("the exponentials are not divided by their sum", lambda x: exponentials(x)),
    ("the logarithm of the softmax is stored", lambda x: torch.log_softmax(x, -1)),
    ("2 is raised to the power of each number, and not e", lambda x: torch.softmax(x * LOG_2, -1)),
    ("the sign of the numbers is turned round", lambda x: torch.softmax(-x, -1)),
    ("the exponentials are divided by the number of columns", lambda x: (
        exponentials(x) / x.shape[1])),
    ("the numbers are divided by their sum, without `exp`", lambda x: x / x.sum(-1, keepdim=True)),
    ("the sums run down the columns, and not along the rows", lambda x: torch.softmax(x, 0)),
    ("the largest number is subtracted from the exponents of the sum only", lambda x: (
        x.exp() / exponentials(x).sum(-1, keepdim=True))),
    ("the largest number is subtracted above the line only", lambda x: (
        exponentials(x) / x.exp().sum(-1, keepdim=True))),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def matrix(*shape):
    return lambda g: (normal(g, *shape),)


def one_spike_in_each_row(g):
    x = normal(g, 6, 1300)
    at = torch.randint(0, 1300, (6, 1), generator=g, device=g.device)
    return (x.scatter_(1, at, 50.0),)


def masked_attention_scores(g):
    scores = normal(g, 16, 16)
    future = torch.ones(16, 16, dtype=torch.bool, device=g.device).triu(1)
    return (scores.masked_fill(future, float("-inf")),)


def with_nan_and_infinities(g):
    x = normal(g, 6, 700)
    x[1, 3], x[2, 699], x[3, 0] = float("nan"), float("inf"), float("-inf")
    x[4] = float("-inf")
    return (x,)


CASES = (
    Case("one element", matrix(1, 1)),
    Case("one column", matrix(9, 1)),
    Case("two columns", matrix(5, 2)),
    Case("three columns", matrix(5, 3)),
    Case("781 columns", matrix(8, 781)),
    Case("one short of a power of two", matrix(4, 1023)),
    Case("a power of two", matrix(4, 1024)),
    Case("one past a power of two", matrix(4, 1025)),
    Case("rows of 16,381", matrix(3, 16_381)),
    Case("many short rows", matrix(40, 7)),
    Case("transposed view", lambda g: (normal(g, 85, 17).T,)),
    Case("columns of a wider tensor", lambda g: (normal(g, 9, 1400)[:, 100:900],)),
    Case("every second row, every third column", lambda g: (normal(g, 4, 13_500)[::2, ::3],)),
    Case("nothing but zeros", lambda g: (torch.zeros(4, 256, device=g.device),)),
    Case("nothing but negative numbers", lambda g: (-100 - normal(g, 5, 781).abs(),)),
    Case("times 10,000", lambda g: (1e4 * normal(g, 5, 781),)),
    Case("all near 20,000", lambda g: (20_000 + normal(g, 5, 600),)),
    Case("one spike in each row", one_spike_in_each_row),
    Case("masked attention scores", masked_attention_scores),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("4096 rows of 4096", matrix(4096, 4096))
