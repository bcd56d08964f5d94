"""Four programs share the result; each walks with pointers that move by a whole round."""

import torch
import triton
import triton.language as tl

SECTORS_3 = len({12 * lane // 32 for lane in range(32)})
SECTORS_16 = len({64 * lane // 32 for lane in range(32)})


@triton.jit
def walk(x_ptr, out_ptr, count, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    step = tl.num_programs(0) * BLOCK
    source = x_ptr + i.to(tl.int64) * stride
    target = out_ptr + i
    while tl.min(i, axis=0) < count:
        tl.store(target, tl.load(source, mask=i < count), mask=i < count)
        source += step.to(tl.int64) * stride
        target += step
        i += step


def strided_copy(x, stride):
    out = torch.empty_like(x[::stride], memory_format=torch.contiguous_format)
    walk[(4,)](x, out, out.numel(), stride, BLOCK=128)
    return out
