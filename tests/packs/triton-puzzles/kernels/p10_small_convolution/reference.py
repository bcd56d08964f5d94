"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(x, weights):
    return _slide(x, weights)


eager = reference


def work(x, weights):
    return Work(bytes=2 * x.numel() * x.element_size(), flops=2 * x.numel() * weights.numel())


def images(count, height, width, rows, columns):
    return lambda g: (
        torch.randn(count, height, width, generator=g, device=g.device),
        torch.randn(rows, columns, generator=g, device=g.device),
    )


def _slide(x, weights):
    rows, columns = weights.shape
    padded = torch.nn.functional.pad(x, (0, columns - 1, 0, rows - 1))
    out = torch.zeros_like(x)
    for u in range(rows):
        for v in range(columns):
            out += padded[:, u : u + x.shape[1], v : v + x.shape[2]] * weights[u, v]
    return out


def scale(x, weights):
    return _slide(x.abs(), weights.abs())


CASES = (
    Case("one pixel", images(1, 1, 1, 3, 3)),
    Case("one row", images(1, 1, 20, 1, 3)),
    Case("one column", images(2, 20, 1, 3, 1)),
    Case("exactly one block", images(1, 16, 16, 3, 3)),
    Case("one past the block", images(2, 17, 17, 2, 2)),
    Case("weights of 5 by 5", images(2, 20, 30, 5, 5)),
)
TIMING = Case("for the time", images(16, 512, 512, 3, 3))

# A picture of one pixel meets one of the nine weights.
READS_ALL = False
