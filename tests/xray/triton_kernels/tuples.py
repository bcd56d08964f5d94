"""Kernels that take tuples, and functions that launch them or take lists."""

from typing import NamedTuple

import torch
import triton
import triton.language as tl


class Vectors(NamedTuple):
    left: object
    right: object


@triton.jit
def added(vectors, sizes, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    total = tl.load(vectors[0] + at, mask=at < sizes[0]) + tl.load(
        vectors[1] + at, mask=at < sizes[0]
    )
    tl.store(vectors[2] + at, total * sizes[1], mask=at < sizes[0])


@triton.jit
def named(vectors, out, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(out + at, tl.load(vectors.left + at) + tl.load(vectors.right + at))


def launch(x, y):
    out = torch.empty_like(x)
    added[(triton.cdiv(x.numel(), 256),)]((x, y, out), (x.numel(), 1), B=256)
    return out


def launch_named(x, y):
    out = torch.empty_like(x)
    named[(1,)](Vectors(x, y), out, B=64)
    return out


def joined(parts, scale=2):
    return torch.cat([part * scale for part in parts]).sum()


@triton.jit
def doubled_blocks(source, target):
    target.store([0, 0], source.load([0, 0]) * 2)
