import torch

from tutor.judge.near_misses import BLOCKS, of_loop
from tutor.judge.spec import Case, Work

CONTIGUOUS = True
COPIES = False  # a bias that is joined to w copies w
MOST_LAUNCHES = 1
MOST_TRAFFIC = 1.15  # a second launch needs 1.9 in the case "short K"


def reference(x, w, bias, skip):
    return torch.relu(x @ w + bias) + skip


def eager(x, w, bias, skip):
    return torch.relu(x @ w + bias) + skip


def work(x, w, bias, skip):
    (m, k), n = x.shape, w.shape[1]
    moved = m * k + k * n + n + 2 * m * n
    return Work(bytes=moved * 4, flops=2 * m * n * k + 3 * m * n, units="tf32x3")


def scale(x, w, bias, skip):
    # A dot product's error grows with the sum of its terms' magnitudes; two more terms follow.
    return x.abs() @ w.abs() + bias.abs() + skip.abs()


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def sizes(m, k, n, times=1.0):
    return lambda g: (
        times * normal(g, m, k), normal(g, k, n), normal(g, n), normal(g, m, n),
    )  # fmt: skip


def one_spike(g):
    x, w, bias, skip = sizes(35, 50, 40)(g)
    x[int(torch.randint(0, 35, (1,), generator=g, device=g.device)), 7] = 1e4
    return x, w, bias, skip


def one_negative_product(g):
    x, w, bias, skip = (torch.rand(1, 1, generator=g, device=g.device) for _ in "xwbs")
    return -1 - x, 1 + w, 5 + bias[0], skip


def nothing_survives_the_relu(g):
    x, w, bias, skip = sizes(20, 24, 36)(g)
    return x.abs(), -w.abs(), -bias.abs(), skip


def relu_at_each_step(x, w, block):
    total = x[:, :1] @ w[:1] * 0
    for start in range(0, x.shape[1], block):
        total = torch.relu(total + x[:, start : start + block] @ w[start : start + block])
    return total


def with_part(start, stop, x, w, bias, skip):
    return torch.relu(x[:, start:stop] @ w[start:stop] + bias) + skip


NEAR_MISSES = (
    ("the ReLU is left out", lambda x, w, bias, skip: x @ w + bias + skip),
    ("`skip` is added before the ReLU", lambda x, w, bias, skip: torch.relu(x @ w + bias + skip)),
    ("`bias` is added after the ReLU", lambda x, w, bias, skip: torch.relu(x @ w) + bias + skip),
    ("`bias` is left out", lambda x, w, bias, skip: torch.relu(x @ w) + skip),
    ("`skip` is left out", lambda x, w, bias, skip: torch.relu(x @ w + bias)),
    ("`bias` is added in each step of the loop", lambda x, w, bias, skip: (
        torch.relu(x @ w + -(-x.shape[1] // block) * bias) + skip for block in BLOCKS)),
    ("the ReLU is applied in each step of the loop", lambda x, w, bias, skip: (
        torch.relu(relu_at_each_step(x, w, block) + bias) + skip for block in BLOCKS)),
    *of_loop(with_part, lambda x, w, bias, skip: x.shape[1]),
)  # fmt: skip


CASES = (
    Case("one element, its product negative", one_negative_product),
    Case("two by three by two", sizes(2, 3, 2)),
    Case("few rows and columns", sizes(3, 75, 5)),
    Case("a column times a row", sizes(37, 1, 29)),
    Case("exactly one tile", sizes(32, 32, 32)),
    Case("one past the tile", sizes(33, 33, 33)),
    Case("one short of two tiles", sizes(63, 63, 63)),
    Case("long K", sizes(5, 300, 9)),
    Case("wide", sizes(19, 23, 200)),
    Case("tall", sizes(200, 23, 19)),
    Case(
        "a large bias",
        lambda g: (*sizes(30, 40, 50)(g)[:2], 100 * normal(g, 50), normal(g, 30, 50)),
    ),
    Case("nothing but zeros", lambda g: tuple(0 * each for each in sizes(20, 40, 30)(g))),
    Case("nothing survives the relu", nothing_survives_the_relu),
    Case("times 10,000", sizes(40, 50, 35, 1e4)),
    Case("one spike", one_spike),
    Case("short K", sizes(131, 16, 151)),
)
TIMING = Case("4096 by 256 by 4096", sizes(4096, 256, 4096))
