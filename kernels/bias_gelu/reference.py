import torch

from tutor.judge.spec import Case, Work

ACCUMULATORS = "float32"
WIDEST_BLOCK = 4096  # a tensor of any size does not fit in one block
MOST_TRAFFIC = 1.4  # a launch that stores the sum and one that loads it again need 2


def reference(x, bias):
    return torch.nn.functional.gelu(x + bias)


def eager(x, bias):
    return torch.nn.functional.gelu(x + bias)


def work(x, bias):
    # A sum, the product with 1 / sqrt(2), erf counted as one, a sum, two products.
    moved = 2 * x.numel() + bias.numel()
    return Work(bytes=moved * x.element_size(), flops=6 * x.numel())


def scale(x, bias):
    # x + bias is rounded to its own size, and GELU's slope is at most 1.13. Left of 0 the factor
    # 1 + erf is a difference of numbers near 1: the error grows with |x + bias|, not with the
    # result. NaN and infinity are compared exactly and scale nothing.
    return torch.nan_to_num((x + bias).abs(), nan=0.0, posinf=0.0)


def gelu(v):
    return torch.nn.functional.gelu(v)


def of_sum(function):
    return lambda x, bias: function(x + bias)


NEAR_MISSES = (
    ("the bias is added after the GELU", lambda x, bias: gelu(x) + bias),
    ("the bias is left out", lambda x, bias: gelu(x)),
    ("the bias is subtracted", lambda x, bias: gelu(x - bias)),
    ("the bias multiplies, and is not added", lambda x, bias: gelu(x * bias)),
    ("the error function gets v itself, not v / √2", of_sum(lambda v: 0.5 * v * (1 + v.erf()))),
    ("the error function gets v · √2, not v / √2", of_sum(
        lambda v: 0.5 * v * (1 + (v * 2**0.5).erf()))),
    ("the error function gets v / 2, not v / √2", of_sum(
        lambda v: 0.5 * v * (1 + (v / 2).erf()))),
    ("it is ReLU", of_sum(torch.relu)),
    ("it is SiLU, v times its sigmoid", of_sum(torch.nn.functional.silu)),
    ("0.5 is left out", of_sum(lambda v: 2 * gelu(v))),
    ("1 is not added to the error function", of_sum(lambda v: 0.5 * v * (v / 2**0.5).erf())),
    ("the share of the normal distribution is not multiplied by v", of_sum(
        lambda v: 0.5 * (1 + (v / 2**0.5).erf()))),
    ("the bias is not in the factor before the parenthesis", lambda x, bias: (
        0.5 * x * (1 + ((x + bias) / 2**0.5).erf()))),
    ("the bias is not in the error function", lambda x, bias: (
        0.5 * (x + bias) * (1 + (x / 2**0.5).erf()))),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def both(*shape):
    return lambda g: (normal(g, *shape), normal(g, shape[-1]))


def one_spike(g):
    x = torch.zeros(30, 70, device=g.device)
    row = int(torch.randint(0, 30, (1,), generator=g, device=g.device))
    x[row, 41] = 100.0
    return x, normal(g, 70)


def with_nan_and_infinity(g):
    x, bias = normal(g, 20, 90), normal(g, 90)
    x[3, 5], x[7, 89] = float("nan"), float("inf")
    bias[11] = float("nan")
    return x, bias


CASES = (
    Case("one element", both(1)),
    Case("one dimension, two elements", both(2)),
    Case("one dimension, three elements", both(3)),
    Case("one column", both(45, 1)),
    Case("one row, one short of the block", both(1, 1023)),
    Case("exactly one block", both(32, 32)),
    Case("rows one past the block", both(3, 1025)),
    Case("rows of 7", both(500, 7)),
    Case("rows of 4100", both(3, 4100)),
    Case("three dimensions", both(5, 11, 37)),
    Case("x transposed", lambda g: (normal(g, 65, 33).T, normal(g, 65))),
    Case("every second element of bias", lambda g: (normal(g, 21, 50), normal(g, 100)[::2])),
    Case(
        "rows at two distances, the end of a bias",
        # From row to row the distance is not always the same.
        lambda g: (normal(g, 5, 8, 130).transpose(0, 1)[..., 7:90], normal(g, 200)[117:]),
    ),
    Case("nothing but zeros", lambda g: (0 * normal(g, 9, 50), 0 * normal(g, 50))),
    Case("times 10,000", lambda g: (1e4 * normal(g, 15, 200), normal(g, 200))),
    Case("all near 5", lambda g: (5 + normal(g, 15, 200), normal(g, 200))),
    Case("all near -5", lambda g: (normal(g, 15, 200) - 5, normal(g, 200))),
    Case("one spike", one_spike),
    Case("NaN and infinity", with_nan_and_infinity),
)
TIMING = Case("8192 rows of 4096", both(8192, 4096))
