import torch

from tutor.judge.spec import Case, Work

WIDEST_BLOCK = 4096  # a row need not fit in one block
MOST_ACCESSES = 1.5  # a second walk over the row would make it two
LOADED_ONCE = ("x",)


def reference(x):
    largest = x.amax(1, keepdim=True)
    return torch.cat((largest, torch.exp(x - largest).sum(1, keepdim=True)), 1)


def eager(x):
    return reference(x)


def work(x):
    # A comparison, a difference, an exponential and an addition for each element.
    moved = x.numel() + 2 * x.shape[0]
    return Work(bytes=moved * x.element_size(), flops=4 * x.numel())


def scale(x):
    # The maximum is an element. The sum has positive terms, and its error grows with the sum.
    return reference(x).abs()


BLOCKS = (32, 64, 128, 256, 512, 1024)


def without_rescaling(x):
    """Yield the results for a sum that a new maximum leaves as it was."""
    for block in BLOCKS:
        largest = torch.full_like(x[:, :1], float("-inf"))
        total = torch.zeros_like(largest)
        for part in x.split(block, 1):
            largest = torch.maximum(largest, part.amax(1, keepdim=True))
            total = total + torch.exp(part - largest).sum(1, keepdim=True)
        yield torch.cat((largest, total), 1)


NEAR_MISSES = (
    ("the sum stands before the maximum", lambda x: reference(x).flip(1)),
    ("a new maximum leaves the sum as it was", without_rescaling),
)


def explain_wrong(got, x):
    """Say of which numbers the maximum is, where it is not that of the row."""
    got, largest = got.double()[:, 0], reference(x.double())[:, 0]
    if torch.equal(got, largest) or not torch.isfinite(got).all():
        return None
    if torch.equal(got, largest.clamp(min=0)):
        return "Where all numbers of a row are below 0, your maximum is 0."
    for last in sorted({(x.shape[1] - 1) % block + 1 for block in BLOCKS}):
        if torch.equal(got, x.double()[:, -last:].amax(1)):
            columns = "column" if last == 1 else f"{last} columns"
            return f"Your maximum is that of the row's last {columns}."
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def matrix(rows, columns, shift=0.0, factor=1.0):
    return lambda g: (shift + factor * normal(g, rows, columns),)


def spike(first, last):
    def make(g):
        x = normal(g, 3, 3000)
        at = torch.randint(first, last, (3, 1), generator=g, device=g.device)
        return (x.scatter_(1, at, 30.0),)

    return make


def sorted_rows(descending):
    return lambda g: ((3 * normal(g, 3, 2500)).sort(dim=1, descending=descending).values,)


CASES = (
    Case("one element", matrix(1, 1, 5.0)),
    Case("one column", matrix(9, 1, 5.0)),
    Case("two columns", matrix(5, 2, 5.0)),
    Case("one short of the block", matrix(3, 1023)),
    Case("exactly one block", matrix(3, 1024)),
    Case("one past the block", matrix(3, 1025)),
    Case("one past two blocks", matrix(3, 2049)),
    Case("many blocks and a tail", matrix(2, 20_011)),
    Case("many short rows", matrix(20, 7, 5.0)),
    Case("rising rows", sorted_rows(False)),
    Case("falling rows", sorted_rows(True)),
    Case("the largest in the first block", spike(0, 1024)),
    Case("the largest in the last block", spike(2048, 3000)),
    Case("nothing but zeros", lambda g: (torch.zeros(3, 1500, device=g.device),)),
    Case("nothing but negative numbers", lambda g: (-1 - normal(g, 3, 1500).abs(),)),
    Case("very negative numbers", matrix(3, 1500, -2000.0, 3.0)),
    Case("all near 20,000", matrix(3, 1500, 20_000.0)),
    Case("near -1e38", matrix(2, 1500, -1e38, 1e37)),
)
TIMING = Case("256 rows of 65,536", matrix(256, 1 << 16))
