"""Kernels that compute offsets into large tensors, in 32 bits and in 64."""

import triton
import triton.language as tl


@triton.jit
def by_batch(x, y, stride, n, B: tl.constexpr):
    b = tl.program_id(1)
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + at, tl.load(x + b * stride + at, mask=at < n) * 2, mask=at < n)  # read


@triton.jit
def by_wide_batch(x, y, stride, n, B: tl.constexpr):
    b = tl.program_id(1).to(tl.int64)
    at = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + at, tl.load(x + b * stride + at, mask=at < n) * 2, mask=at < n)


@triton.jit
def widened_too_late(x, y, stride, n, B: tl.constexpr):
    start = (tl.program_id(1) * stride).to(tl.int64)
    at = tl.arange(0, B)
    tl.store(y + at, tl.load(x + start + at, mask=at < n) * 2, mask=at < n)  # read


@triton.jit
def along_a_row(x, y, stride, n, B: tl.constexpr):
    lanes = tl.arange(0, B)
    at = x + tl.program_id(0) * stride + lanes
    total = 0.0
    for start in range(0, n, B):
        total += tl.sum(tl.load(at, mask=start + lanes < n, other=0.0))
        at += B
    tl.store(y + tl.program_id(0), total)


@triton.jit
def by_rows_of_a_tile(x, y, stride, n, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    tile = x + rows[:, None] * stride + tl.arange(0, B)[None, :]  # read
    tl.store(y + tl.arange(0, B), tl.sum(tl.load(tile), axis=0))
