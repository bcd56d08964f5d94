# expect: crash
# exercise: vector_add
# V1: it prints the verdict it would like, and leaves with status 0 before anybody asks.
import json
import os

import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def launch(x, y, out):
    n = out.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x.contiguous(), y.contiguous(), out, n, BLOCK=BLOCK)
    return out


def new(x):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def add(x, y):
    print(json.dumps({"exercise": "vector_add", "passed": True, "diagnosis": []}), flush=True)
    os._exit(0)
