"""Asks for the GPU as it is loaded, in a module that the learner's file imports."""

import torch
import triton
import triton.language as tl

STAGES = 2 if torch.cuda.get_device_capability()[0] < 8 else 3


@triton.jit
def doubled(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def launch(x):
    doubled[(4,)](x, x.numel(), B=1024, num_stages=STAGES)
    return x
