import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
COPIES = False  # the strides of a view are what the kernel has to deal with


def reference(x):
    return x.T.contiguous()


def eager(x):
    return x.T.contiguous()


def work(x):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=0)


def scale(x):
    # Nothing is computed, so nothing is rounded: every element is equal to the one it came from.
    return 0.0


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def matrix(*shape):
    return lambda g: (normal(g, *shape),)


def one_spike(g):
    x = torch.zeros(45, 70, device=g.device)
    row = int(torch.randint(0, 45, (1,), generator=g, device=g.device))
    column = int(torch.randint(0, 70, (1,), generator=g, device=g.device))
    x[row, column] = 7.0
    return (x,)


def zeros_of_both_signs(g):
    # 0 and -0 are equal as numbers and differ in a bit, which an addition of 0 loses: -0 + 0 is 0.
    return (normal(g, 35, 50) * torch.randint(0, 2, (35, 50), generator=g, device=g.device),)


def with_nan_and_infinities(g):
    x = normal(g, 40, 50)
    x[0, 49], x[39, 0], x[17, 33], x[5, 5] = float("nan"), float("inf"), float("-inf"), -0.0
    return (x,)


CASES = (
    Case("one element", matrix(1, 1)),
    Case("two rows of three", matrix(2, 3)),
    Case("one row", matrix(1, 777)),
    Case("one column", matrix(97, 1)),
    Case("rows one short of the block", matrix(3, 255)),
    Case("rows of exactly one block", matrix(3, 256)),
    Case("rows one past the block", matrix(3, 257)),
    Case("wide", matrix(17, 600)),
    Case("tall", matrix(260, 17)),
    Case("two primes", matrix(197, 173)),
    Case("already transposed", lambda g: (normal(g, 45, 70).T,)),
    Case("columns of a wider matrix", lambda g: (normal(g, 40, 130)[:, 7:90],)),
    Case("every second row, every third column", lambda g: (normal(g, 80, 150)[::2, ::3],)),
    Case("one row, repeated", lambda g: (normal(g, 1, 50).expand(40, 50),)),
    Case("times 10,000", lambda g: (1e4 * normal(g, 50, 40),)),
    Case("one spike", one_spike),
    Case("zeros of both signs", zeros_of_both_signs),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("8192 by 8192", matrix(8192, 8192))
