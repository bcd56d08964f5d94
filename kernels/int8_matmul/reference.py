import torch

from tutor.judge.spec import Case, Work

CONTIGUOUS = True
COPIES = False
MATRIX_UNITS = "int8"
WIDEST_BLOCK = 16_384  # a tile of 128 by 128: K of any length does not fit in one
# Above it a sum may leave int32.
PROMISED = (
    ("`K` is at most 60,000", lambda x, w, zero: x.shape[1] <= 60_000),
    (
        "`zero` is a Python integer from -128 to 127",
        lambda x, w, zero: isinstance(zero, int) and -128 <= zero <= 127,
    ),
)


def whole(x, w):
    return x.double() @ w.double()  # exact: no sum reaches 2**53


def reference(x, w, zero):
    return whole(x.double() - zero, w).to(torch.int32)


eager = reference


def work(x, w, zero):
    (m, k), n = x.shape, w.shape[1]
    return Work(bytes=m * k + k * n + 4 * m * n, flops=2 * m * n * k, units="fp16")


def wrapped(x):
    """What eight bits keep of an integer."""
    return (x + 128) % 256 - 128


NEAR_MISSES = (
    ("the zero point is left out", lambda x, w, zero: whole(x, w)),
    ("the zero point is added", lambda x, w, zero: whole(x.double() + zero, w)),
    (
        "`x - zero` is kept in eight bits, where it wraps round",
        lambda x, w, zero: whole(wrapped(x.double() - zero), w),
    ),
    (
        "the zero point meets the sums of `x`'s rows, not those of `w`'s columns",
        lambda x, w, zero: whole(x, w) - zero * x.double().sum(1, keepdim=True),
    ),
    (
        "the zero point is subtracted once, not for each of the K products",
        lambda x, w, zero: whole(x, w) - zero,
    ),
    (
        "the zero point is subtracted from `w`",
        lambda x, w, zero: whole(x, w.double() - zero),
    ),
    (
        "the sum wraps round in int8",
        lambda x, w, zero: wrapped(whole(x.double() - zero, w)),
    ),
)


def codes(g, *shape, low=-128, high=128):
    return torch.randint(low, high, shape, generator=g, device=g.device, dtype=torch.int8)


def sizes(m, k, n, zero, **law):
    return lambda g: (codes(g, m, k, **law), codes(g, k, n, **law), zero)


def drawn(m, k, n):
    def make(g):
        zero = int(torch.randint(-128, 128, (1,), generator=g, device=g.device))
        return codes(g, m, k), codes(g, k, n), zero

    return make


CASES = (
    Case("one element", sizes(1, 1, 1, 5)),
    Case("two by three by four", sizes(2, 3, 4, -7)),
    Case("a zero point of 0", sizes(20, 40, 30, 0)),
    Case("the lowest zero point", sizes(33, 50, 20, -128)),
    Case("the highest zero point", sizes(21, 50, 35, 127)),
    Case("one short of 64", drawn(63, 63, 63)),
    Case("exactly 64", drawn(64, 64, 64)),
    Case("one past 64", drawn(65, 65, 65)),
    Case("primes", drawn(67, 131, 71)),
    Case("wide, K shorter than a step", drawn(5, 17, 150)),
    Case("tall", drawn(150, 40, 3)),
    Case("large numbers of one sign, long K", sizes(9, 3001, 20, 90, low=-128, high=-100)),
    Case("long K, large sums of `w`", lambda g: (
        codes(g, 3, 9001), codes(g, 9001, 5, low=90), -101)),
    Case("x transposed", lambda g: (codes(g, 45, 70).T, codes(g, 45, 40), 11)),
    Case("w transposed", lambda g: (codes(g, 39, 45), codes(g, 50, 45).T, -31)),
    Case("windows of larger matrices", lambda g: (
        codes(g, 50, 90)[3:40, 7:60], codes(g, 80, 64)[20:73, 5:50], 64)),
    Case("every second row, every third column", lambda g: (
        codes(g, 80, 120)[::2, ::3], codes(g, 80, 120)[::2, ::3], 19)),
    Case("x holds nothing but the zero point", lambda g: (
        torch.full((20, 70), 23, dtype=torch.int8, device=g.device), codes(g, 70, 30), 23)),
)  # fmt: skip
TIMING = Case("2048 by 2048 by 2048", sizes(2048, 2048, 2048, 3))
