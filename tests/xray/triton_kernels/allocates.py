"""A launcher that says how the memory of descriptors is got, and computes with PyTorch too."""

import torch
import triton
import triton.language as tl


@triton.jit
def doubled_by_descriptor(x, out, n, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, shape=[n], strides=[1], block_shape=[BLOCK])
    target = tl.make_tensor_descriptor(out, shape=[n], strides=[1], block_shape=[BLOCK])
    at = tl.program_id(0) * BLOCK
    target.store([at], source.load([at]) * 2)


def allocate(size, alignment, stream):
    return torch.empty(size, dtype=torch.int8, device="cuda")


def allocates(x):
    triton.set_allocator(allocate)
    out = torch.empty_like(x)
    doubled_by_descriptor[(x.numel() // 128,)](x, out, x.numel(), BLOCK=128)
    return torch.relu(out)
