import torch

from tutor.judge.near_misses import BLOCKS
from tutor.judge.spec import Case, Work

CONTIGUOUS = True
LOADED_ONCE = ("x", "skip")
COPIES = False  # what PyTorch copies is loaded and stored once more
MOST_TRAFFIC = 1.2  # two launches, the best answer with an intermediate matrix, need 1.67


def reference(x, scale, shift, skip):
    return torch.relu(x * scale + shift) + skip


def eager(x, scale, shift, skip):
    return torch.relu(x * scale + shift) + skip


def work(x, scale, shift, skip):
    moved = 3 * x.numel() + 2 * scale.numel()
    return Work(bytes=moved * x.element_size(), flops=4 * x.numel())


def scale(x, scale, shift, skip):
    # Three roundings, of numbers that may be larger than the result.
    return (x * scale).abs() + shift.abs() + skip.abs()


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def sized(rows, columns, times=1.0):
    return lambda g: (
        times * normal(g, rows, columns), normal(g, columns), normal(g, columns),
        normal(g, rows, columns),
    )  # fmt: skip


def one_spike(g):
    x = torch.zeros(30, 70, device=g.device)
    x[int(torch.randint(0, 30, (1,), generator=g, device=g.device)), 41] = 100.0
    return x, normal(g, 70), normal(g, 70), normal(g, 30, 70)


def nothing_survives_the_relu(g):
    x, scale, shift, skip = sized(17, 90)(g)
    return -x.abs(), scale.abs(), -shift.abs(), skip


def parts_of_larger_tensors(g):
    return (
        normal(g, 2003)[3:].view(40, 50), normal(g, 80)[30:], normal(g, 53)[3:],
        normal(g, 60, 50)[20:],
    )  # fmt: skip


def column_of_the_lane(x, scale, shift, skip):
    element = torch.arange(x.numel(), device=x.device).view(x.shape)
    for block in BLOCKS:
        column = element % block % x.shape[1]
        yield torch.relu(x * scale[column] + shift[column]) + skip


def column_of_the_program(x, scale, shift, skip):
    element = torch.arange(x.numel(), device=x.device).view(x.shape)
    for block in BLOCKS:
        column = element // block % x.shape[1]
        yield torch.relu(x * scale[column] + shift[column]) + skip


NEAR_MISSES = (
    ("the column comes from the lane's number in its block, so that each block begins at column 0 "
     "again", column_of_the_lane),
    ("the column comes from the program's number, one column for a whole block",
     column_of_the_program),
    ("the ReLU is left out", lambda x, scale, shift, skip: x * scale + shift + skip),
    ("`shift` is added before the scaling", lambda x, scale, shift, skip: (
        torch.relu((x + shift) * scale) + skip)),
    ("`skip` is added before the ReLU", lambda x, scale, shift, skip: (
        torch.relu(x * scale + shift + skip))),
    ("`scale` is left out", lambda x, scale, shift, skip: torch.relu(x + shift) + skip),
    ("`shift` is left out", lambda x, scale, shift, skip: torch.relu(x * scale) + skip),
    ("`skip` is left out", lambda x, scale, shift, skip: torch.relu(x * scale + shift)),
    ("`scale` and `shift` have changed places", lambda x, scale, shift, skip: (
        torch.relu(x * shift + scale) + skip)),
    ("`x` stands for `skip`", lambda x, scale, shift, skip: torch.relu(x * scale + shift) + x),
)  # fmt: skip


CASES = (
    Case("one element", sized(1, 1)),
    Case("two rows of three", sized(2, 3)),
    Case("one column", sized(45, 1)),
    Case("one row, one short of the block", sized(1, 1023)),
    Case("exactly one block", sized(32, 32)),
    Case("rows one past the block", sized(3, 1025)),
    Case("rows of 7", sized(500, 7)),
    Case("rows of 9001", sized(2, 9001)),
    Case("all start at another element", parts_of_larger_tensors),
    Case("nothing but zeros", lambda g: tuple(0 * each for each in sized(9, 50)(g))),
    Case("nothing survives the relu", nothing_survives_the_relu),
    Case("all near 5", lambda g: tuple(5 + each for each in sized(15, 200)(g))),
    Case("times 10,000", sized(15, 200, 1e4)),
    Case("one spike", one_spike),
    Case("many rows", sized(347, 97)),
)
TIMING = Case("8192 rows of 4096", sized(8192, 4096))
