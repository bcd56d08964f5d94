"""Asks for the GPU as it is loaded, in a module that the learner's file imports, and reads what an
autotuner chose."""

import torch
import triton
import triton.language as tl

BLOCKS = 2 if torch.cuda.get_device_capability()[0] < 8 else 3


@triton.autotune([triton.Config({"B": 1024}), triton.Config({"B": 512})], key=["n"])
@triton.jit
def doubled(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def launch(x):
    doubled[(4,)](x, x.numel())
    return x[: doubled.best_config.kwargs["B"] * BLOCKS]
