import torch

from tutor.judge.near_misses import BLOCKS
from tutor.judge.spec import Case, Work


def reference(x, stride):
    return x[::stride].clone()


def eager(x, stride):
    return x[::stride].clone()


def work(x, stride):
    # What is used, not what is fetched: the share of the peak that the verdict prints is the
    # share of useful bytes.
    wanted = -(-x.numel() // stride)
    return Work(bytes=2 * wanted * x.element_size(), flops=0)


def scale(x, stride):
    # Nothing is computed, so nothing is rounded: every element is equal to the one it came from.
    return 0.0


def check_module(constants):
    """Return one sentence where a predicted number of sectors is wrong, else None."""
    for stride, sectors in ((3, 12), (16, 32)):
        name = f"SECTORS_{stride}"
        said = constants.get(name)
        if said is None:
            return f"The constant {name} is missing."
        if said == 32 * stride * 4 // 32 and stride > 8:
            return f"{name} is {said}: those are all sectors in the span. Most of them are not touched."
        if isinstance(said, bool) or said != sectors:
            return (
                f"{name} is {said!r}. Lane k loads the bytes from {4 * stride} * k on; count the "
                "different values of address // 32 for k from 0 to 31."
            )
    return None


def normal(g, *shape):
    return torch.randn(shape, generator=g, device=g.device)


def vector(n, stride, factor=1.0):
    return lambda g: (factor * normal(g, n), stride)


def zeros_of_both_signs(g):
    # 0 and -0 are equal as numbers and differ in a bit, which an addition of 0 loses: -0 + 0 is 0.
    return normal(g, 900) * torch.randint(0, 2, (900,), generator=g, device=g.device), 2


def with_nan_and_infinities(g):
    x = normal(g, 2000)
    x[0], x[300], x[1500], x[1998] = float("nan"), float("inf"), float("-inf"), -0.0
    return x, 3


def lanes_apart(x, stride, lanes, blocks):
    """Yield the copy for each block size, if the strides within and between the programs are these."""
    numbers = torch.arange(-(-x.numel() // stride))
    for block in BLOCKS:
        if block < numbers.numel():
            at = numbers % block * lanes + numbers // block * block * blocks
            yield x[at.clamp(max=x.numel() - 1)]


NEAR_MISSES = (
    ("the stride is forgotten", lambda x, stride: x[: -(-x.numel() // stride)]),
    ("the stride counts within a program, and not from one program to the next", lambda x, stride: (
        lanes_apart(x, stride, stride, 1))),
    ("the stride counts from one program to the next, and not within one", lambda x, stride: (
        lanes_apart(x, stride, 1, stride))),
    ("every program copies what the first one copies", lambda x, stride: (
        lanes_apart(x, stride, stride, 0))),
    ("the last element of each stretch is taken, and not the first", lambda x, stride: (
        x[(torch.arange(-(-x.numel() // stride)) * stride + stride - 1).clamp(max=x.numel() - 1)])),
    ("the numbers are taken from the end", lambda x, stride: x[::stride].flip(0)),
)  # fmt: skip


CASES = (
    Case("one element", vector(1, 1)),
    Case("one element, stride 5", vector(1, 5)),
    Case("stride 1", vector(1000, 1)),
    Case("stride 2, one short of the block", vector(510, 2)),
    Case("stride 2, exactly one block", vector(512, 2)),
    Case("stride 2, one past the block", vector(513, 2)),
    Case("stride 3, nothing left over", vector(900, 3)),
    Case("stride 3, one left over", vector(901, 3)),
    Case("stride 7", vector(5000, 7)),
    Case("stride 16", vector(20_011, 16)),
    Case("stride 1000", vector(30_500, 1000)),
    Case("a stride longer than the vector", vector(40, 64)),
    Case("times 10,000", vector(1500, 4, 1e4)),
    Case("zeros of both signs", zeros_of_both_signs),
    Case("NaN and infinities", with_nan_and_infinities),
)
TIMING = Case("128 Mi elements, stride 8", vector(1 << 27, 8))
READS_ALL = False  # only every `stride`-th element is used
