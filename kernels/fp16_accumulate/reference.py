import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
MOST_TRAFFIC = 1.2  # a result in float32 that PyTorch rounds has twice the bytes
ACCUMULATORS = "float32"


def reference(a, b):
    return a @ b


def eager(a, b):
    return a @ b


def work(a, b):
    (m, k), n = a.shape, b.shape[1]
    moved = (m * k + k * n + m * n) * a.element_size()
    return Work(bytes=moved, flops=2 * m * n * k, units="fp16")


def scale(a, b):
    # The result is rounded to 11 bits. Each step of the float32 sum before it rounds to 24 bits of what
    # it has passed through, which is at most the sum of the terms' magnitudes.
    return (a @ b).abs() + 2.0**-11 * (a.abs() @ b.abs())


def numbers(g, *shape, shift=0.0, factor=1.0):
    drawn = shift + factor * torch.randn(shape, generator=g, device=g.device)
    return drawn.to(torch.float16)


def sizes(m, k, n, **law):
    return lambda g: (numbers(g, m, k, **law), numbers(g, k, n, **law))


def and_back(size, m, n, k, rest):
    """A sum that grows to about size * k, falls back to 0 and ends at a product of `rest` terms."""

    def make(g):
        up = numbers(g, m, k, factor=size / 8, shift=size)
        over = numbers(g, k, n, factor=1 / 8, shift=1.0)
        a = torch.cat((up, up, numbers(g, m, rest)), dim=1)
        return a, torch.cat((over, -over, numbers(g, rest, n)))

    return make


CASES = (
    Case("one element", sizes(1, 1, 1)),
    Case("two by three by four", sizes(2, 3, 4)),
    Case("one short of 16", sizes(15, 15, 15)),
    Case("exactly 32", sizes(32, 32, 32)),
    Case("one past 32", sizes(33, 33, 33)),
    Case("primes", sizes(67, 131, 37)),
    Case("a row times a column", sizes(1, 300, 1)),
    Case("a column times a row", sizes(37, 1, 29)),
    Case("long K", sizes(5, 2100, 9)),
    Case("all near 1, long K", sizes(9, 2000, 5, shift=1.0, factor=0.3)),
    Case("up to 2100 and back", and_back(2.1, 6, 5, 1000, 40)),
    Case("up to 90,000 and back", and_back(300.0, 5, 6, 300, 40)),
    Case("a nothing but zeros", lambda g: (0 * numbers(g, 20, 40), numbers(g, 40, 30))),
    Case("times 20", sizes(20, 30, 20, factor=20.0)),
)
TIMING = Case("4096 by 4096 by 4096", sizes(4096, 4096, 4096))
