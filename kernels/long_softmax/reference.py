import torch

from tutor.judge.near_misses import BLOCKS
from tutor.judge.spec import Case, Work

ACCUMULATORS = "float32"
WIDEST_BLOCK = 4096  # a row need not fit in one block


def reference(x):
    return torch.softmax(x, dim=-1)


def eager(x):
    return torch.softmax(x, dim=-1)


def work(x):
    # A comparison, a difference, an exponential, an addition and a quotient for each element.
    return Work(bytes=2 * x.numel() * x.element_size(), flops=5 * x.numel())


def scale(x):
    # Errors are measured against the row's own largest probability.
    return torch.softmax(x, dim=-1).amax(-1, keepdim=True)


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def matrix(rows, columns, shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, rows, columns),)


def spike(first, last):
    def make(g):
        x = normal(g, 4, 3000)
        at = torch.randint(first, last, (4, 1), generator=g, device=g.device)
        return (x.scatter_(1, at, 30.0),)

    return make


def sorted_rows(descending):
    return lambda g: ((6 * normal(g, 3, 2500)).sort(dim=1, descending=descending).values,)


def without_rescaling(x):
    """Yield the results for a sum that a new maximum leaves as it was."""
    weight = torch.exp(x - x.amax(1, keepdim=True))
    for block in BLOCKS:
        largest = torch.full_like(x[:, :1], float("-inf"))
        total = torch.zeros_like(largest)
        for part in x.split(block, 1):
            largest = torch.maximum(largest, part.amax(1, keepdim=True))
            total = total + torch.exp(part - largest).sum(1, keepdim=True)
        yield weight / total


NEAR_MISSES = (
    ("a new maximum leaves the sum as it was", without_rescaling),
    ("the exponentials are not divided by their sum", lambda x: (x - x.amax(1, keepdim=True)).exp()),
    ("the sign of the numbers is turned round", lambda x: torch.softmax(-x, 1)),
    ("the sums run down the columns, and not along the rows", lambda x: torch.softmax(x, 0)),
    ("the logarithm of the softmax is stored", lambda x: torch.log_softmax(x, 1)),
    ("each block is a softmax by itself", lambda x: (
        torch.cat([part.softmax(1) for part in x.split(block, 1)], 1) for block in BLOCKS)),
)  # fmt: skip


CASES = (
    Case("one element", matrix(1, 1)),
    Case("one column", matrix(9, 1)),
    Case("two columns", matrix(5, 2)),
    Case("one short of the block", matrix(3, 1023)),
    Case("exactly one block", matrix(3, 1024)),
    Case("one past the block", matrix(3, 1025)),
    Case("exactly two blocks", matrix(3, 2048)),
    Case("one past two blocks", matrix(3, 2049)),
    Case("many blocks and a tail", matrix(1, 40_009)),
    Case("many short rows", matrix(30, 7)),
    Case("rising rows", sorted_rows(False)),
    Case("falling rows", sorted_rows(True)),
    Case("the largest in the first block", spike(0, 1024)),
    Case("the largest in the last block", spike(2048, 3000)),
    Case("transposed view", lambda g: (normal(g, 4500, 3).T,)),
    Case("columns of a wider tensor", lambda g: (normal(g, 4, 1700)[:, 100:1600],)),
    Case("nothing but zeros", lambda g: (torch.zeros(3, 1500, device=g.device),)),
    Case("very negative numbers", matrix(4, 1500, -2000.0, 3.0)),
    Case("times 10,000", matrix(4, 1500, 0.0, 1e4)),
    Case("all near 20,000", matrix(4, 1500, 20_000.0)),
    Case("near -1e38", matrix(2, 1500, -1e38, 1e37)),
)
TIMING = Case("256 rows of 65,536", matrix(256, 1 << 16))
