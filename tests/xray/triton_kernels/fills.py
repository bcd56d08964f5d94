"""Launchers that fill a tensor before the launch, and kernels with hooks that do."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_part(x, o, n, B: tl.constexpr):
    lanes = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o + lanes % 8, tl.load(x + lanes, mask=lanes < n), mask=lanes < n)


@triton.jit
def add_hooked(x, o, n, B: tl.constexpr):
    lanes = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(o + lanes % 8, tl.load(x + lanes, mask=lanes < n), mask=lanes < n)


def clean(x, o, n, **options):
    o.zero_()


add_hooked.add_pre_run_hook(clean)


def clean_named(arguments):
    arguments["o"].zero_()


CONFIGS = [triton.Config({"B": 32}, pre_hook=clean_named), triton.Config({"B": 64})]
add_tuned = triton.autotune(configs=CONFIGS, key=["n"], reset_to_zero=["o"])(add_part)
add_once = triton.autotune(configs=CONFIGS[1:], key=["n"], reset_to_zero=["o"])(add_part)


def fill_and_add(x):
    o = torch.zeros_like(x)
    add_part[(1,)](x, o, x.numel(), B=64)
    return o


def add(x):
    o = torch.empty_like(x)
    add_part[(1,)](x, o, x.numel(), B=64)
    return o
