"""Trusted: it never enters the learner's process."""

import torch

from tutor.judge.spec import Case, Work


def reference(packed, scales, x):
    return _weights(packed, scales) @ x


eager = reference


def work(packed, scales, x):
    return Work(
        bytes=4 * (2 * packed.numel() + x.numel() + packed.shape[0] * x.shape[1]),
        flops=16 * packed.numel() * x.shape[1],
    )


def quantized(rows, groups, columns):
    return lambda g: (
        torch.randint(-(2**31), 2**31, (rows, groups), generator=g, device=g.device).int(),
        torch.rand(rows, groups, generator=g, device=g.device),
        torch.randn(8 * groups, columns, generator=g, device=g.device),
    )


def _weights(packed, scales):
    shifts = torch.arange(0, 32, 4, device=packed.device)
    numbers = (packed[:, :, None] >> shifts) & 15
    return ((numbers - 8) * scales[:, :, None]).flatten(1)


def scale(packed, scales, x):
    return _weights(packed, scales).abs() @ x.abs()


CASES = (
    Case("one group", quantized(1, 1, 1)),
    Case("smaller than a tile", quantized(5, 2, 9)),
    Case("exactly one tile", quantized(32, 4, 32)),
    Case("one past the tile", quantized(33, 5, 33)),
    Case("many groups", quantized(10, 20, 12)),
    Case("tails everywhere", quantized(50, 7, 40)),
)
TIMING = Case("for the time", quantized(2048, 256, 1024))
