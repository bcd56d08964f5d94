"""Launches as many programs as a module that it imports has counted of a device it does not name."""

import torch
import triton
import triton.language as tl
from asks_quietly import CORES, KIND


@triton.jit
def fill(o, n, CORES: tl.constexpr, B: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(n, B), CORES):
        i = block * B + tl.arange(0, B)
        tl.store(o + i, 1.0, mask=i < n)


def launch(x):
    assert KIND == torch.accelerator.current_accelerator().type == x.device.type
    o = torch.empty_like(x)
    fill[(CORES,)](o, o.numel(), CORES=CORES, B=256)
    return o
