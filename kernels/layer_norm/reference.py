import torch

from tutor.judge.spec import Case, Work

ACCUMULATORS = "float32"
CONTIGUOUS = True
LOADED_ONCE = ("x",)
MOST_TRAFFIC = 1.3  # a second launch, which reads the matrix again, needs 1.5


def reference(x, weight, bias, eps):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps)


def eager(x, weight, bias, eps):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps)


def work(x, weight, bias, eps):
    moved = 2 * x.numel() + weight.numel() + bias.numel()
    # Sum, difference, square, sum, and the product with the reciprocal root, weight and bias.
    return Work(bytes=moved * x.element_size(), flops=7 * x.numel())


def scale(x, weight, bias, eps):
    # The mean is rounded to eps(float32) of the row's largest element, and the reciprocal root
    # magnifies that. NaN and infinity are compared exactly and scale nothing.
    x = torch.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0)
    root = (x.var(-1, correction=0, keepdim=True) + eps).rsqrt()
    return x.abs().amax(-1, keepdim=True) * root * weight.abs() + bias.abs()


def centred(x):
    return x - x.mean(-1, keepdim=True)


def layer(x, weight, bias, eps):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias, eps)


def missed(
    correction=0, power=-0.5, centre=1.0, shift=1.0, spread_around=1.0, outside=False, eps_times=1.0
):
    """A layer norm with one step otherwise than it must be."""

    def wrong(x, weight, bias, eps):
        mean = x.mean(-1, keepdim=True) * centre
        squares = (x - mean * spread_around).square().sum(-1, keepdim=True)
        variance = squares / (x.shape[-1] - correction)
        factor = (variance + eps * eps_times) ** power
        if outside:
            factor = 1 / (variance.sqrt() + eps)
        return (x - mean * shift) * factor * weight + bias

    return wrong


NEAR_MISSES = (
    ("the variance divides by n - 1 and not by n", missed(correction=1)),
    ("the root of the variance is left out", missed(power=-1.0)),
    ("the mean is not subtracted", missed(centre=0.0)),
    ("the mean is subtracted for the variance only", missed(shift=0.0)),
    ("the mean is subtracted from x and not for the variance", missed(spread_around=0.0)),
    ("`eps` is added after the root", missed(outside=True)),
    ("`eps` is left out", missed(eps_times=0.0)),
    ("the bias is added before the weight multiplies", lambda x, w, b, e: (
        (centred(x) * (x.var(-1, correction=0, keepdim=True) + e).rsqrt() + b) * w)),
    ("the weight is left out", lambda x, w, b, e: layer(x, torch.ones_like(w), b, e)),
    ("the bias is left out", lambda x, w, b, e: layer(x, w, torch.zeros_like(b), e)),
    ("the weight counts from 1, as `1 + weight`", lambda x, w, b, e: layer(x, 1 + w, b, e)),
    ("the bias is subtracted", lambda x, w, b, e: layer(x, w, -b, e)),
    ("`weight` and `bias` are exchanged", lambda x, w, b, e: layer(x, b, w, e)),
    ("the sign of the deviation is turned round", lambda x, w, b, e: layer(-x, w, b, e)),
    ("the deviation is multiplied by the root and not divided", missed(power=0.5)),
)  # fmt: skip


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def given(make, eps=1e-5):
    """A case's arguments around the matrix that `make(generator)` returns."""

    def arguments(g):
        x = make(g)
        return x, normal(g, x.shape[1]), normal(g, x.shape[1]), eps

    return arguments


def matrix(*shape):
    return given(lambda g: normal(g, *shape))


def equal_numbers(g):
    return normal(g, 5, 1).expand(5, 700).contiguous()


def one_spike_in_each_row(g):
    x = normal(g, 5, 900)
    at = torch.randint(0, 900, (5, 1), generator=g, device=g.device)
    return x.scatter_(1, at, 1e4)


def views_of_all(g):
    return normal(g, 5, 9300)[::2, 100:9100:2], normal(g, 9000)[::2], normal(g, 13_503)[3::3], 1e-5


def view_of_weight(g):
    return normal(g, 5, 200), normal(g, 400)[::2], normal(g, 200), 1e-5


def view_of_bias(g):
    return normal(g, 5, 200), normal(g, 200), normal(g, 601)[1::3], 1e-5


def with_nan_and_infinities(g):
    x = normal(g, 5, 600)
    x[1, 3], x[2, 599], x[3, 0] = float("nan"), float("inf"), float("-inf")
    return x


CASES = (
    Case("one element", matrix(1, 1)),
    Case("one column", matrix(7, 1)),
    Case("two columns", matrix(5, 2)),
    Case("three columns", matrix(5, 3)),
    Case("781 columns", matrix(6, 781)),
    Case("one short of a power of two", matrix(4, 1023)),
    Case("a power of two", matrix(4, 1024)),
    Case("one past a power of two", matrix(4, 1025)),
    Case("rows of 16,381", matrix(3, 16_381)),
    Case("many short rows", matrix(30, 7)),
    Case("x transposed", given(lambda g: normal(g, 85, 17).T)),
    Case("every second element of weight", view_of_weight),
    Case("every third element of bias", view_of_bias),
    Case("views of all three", views_of_all),
    Case("a large eps", given(lambda g: normal(g, 5, 300), eps=2.5)),
    Case("a small eps", given(lambda g: 1e-4 * normal(g, 3, 40), eps=1e-12)),
    Case("nothing but zeros", given(lambda g: torch.zeros(4, 500, device=g.device))),
    Case("equal numbers", given(equal_numbers)),
    Case("all near 5", given(lambda g: 5 + normal(g, 5, 600))),
    Case("all near 1000", given(lambda g: 1000 + normal(g, 5, 600))),
    Case("times 10,000", given(lambda g: 1e4 * normal(g, 5, 600))),
    Case("one spike in each row", given(one_spike_in_each_row)),
    Case("NaN and infinities", given(with_nan_and_infinities)),
)
TIMING = Case("4096 rows of 4096", matrix(4096, 4096))
