import torch
import triton
import triton.language as tl


@triton.jit
def stable(tile):
    shifted = tile - tl.max(tile, axis=1)[:, None]
    powers = tl.exp(shifted)
    return powers / tl.sum(powers, axis=1)[:, None]


@triton.jit
def kernel(x_ptr, out_ptr, columns, rs, cs, os, BLOCK: tl.constexpr):
    row = tl.program_id(0) + tl.arange(0, 1)
    column = tl.arange(0, BLOCK)
    exists = (column < columns)[None, :]
    at = row[:, None] * rs + column[None, :] * cs
    tile = tl.load(x_ptr + at, mask=exists, other=float("-inf"))
    tl.store(out_ptr + row[:, None] * os + column[None, :], stable(tile), mask=exists)


def softmax(x: torch.Tensor) -> torch.Tensor:
    out = x.new_empty(x.shape)
    block = triton.next_power_of_2(x.shape[1])
    kernel[(x.shape[0],)](x, out, x.shape[1], *x.stride(), out.stride(0), BLOCK=block, num_warps=8)
    return out
