"""Kernels written in Gluon, for `test_gluon.py`."""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def double(x, out, n, B: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.program_id(0) * B + gl.arange(0, B, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.autotune([triton.Config({"B": 512}), triton.Config({"B": 1024})], key=["n"])
@gluon.jit
def tuned(x, out, n, B: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.program_id(0) * B + gl.arange(0, B, layout=layout)
    gl.store(out + i, gl.load(x + i, mask=i < n) * 3, mask=i < n)


@gluon.jit
def without_layout(x, B: gl.constexpr):
    gl.store(x + gl.arange(0, B, layout=3), 1.0)


def launch(x):
    out = torch.empty_like(x)
    double[(triton.cdiv(x.numel(), 512),)](x, out, x.numel(), B=512, num_warps=4)
    return out


def launch_and_more(x):
    return torch.relu(launch(x))
