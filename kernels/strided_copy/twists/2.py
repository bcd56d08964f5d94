import torch
import triton
import triton.language as tl

SECTORS_3 = 12
SECTORS_16 = 32


@triton.jit
def down_a_tile(x_ptr, out_ptr, count, stride):
    tile = tl.arange(0, 32)[:, None] + 32 * tl.arange(0, 8)[None, :]
    i = tl.program_id(0).to(tl.int64) * 256 + tile
    v = tl.load(x_ptr + i * stride, mask=i < count)
    tl.store(out_ptr + i, v, mask=i < count)


def strided_copy(x, stride):
    count = triton.cdiv(x.numel(), stride)
    out = torch.empty(count, dtype=x.dtype, device=x.device)
    down_a_tile[(triton.cdiv(count, 256),)](x, out, count, stride)
    return out
