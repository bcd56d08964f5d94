# until: triton 3.9
import torch
import triton
import triton.language as tl


@triton.jit
def block_of(ptr, length, SIZE: tl.constexpr):
    return tl.make_block_ptr(ptr, (length,), (1,), (tl.program_id(0) * SIZE,), (SIZE,), (0,))


@triton.jit
def kernel(out_ptr, x_ptr, length, SIZE: tl.constexpr):
    values = tl.load(block_of(x_ptr, length, SIZE))
    ten = tl.full([SIZE], 10.0, tl.float32)
    tl.store(block_of(out_ptr, length, SIZE), values + ten)


def add_ten_blocks(x: torch.Tensor) -> torch.Tensor:
    out = x.new_empty(x.numel())
    kernel[(triton.cdiv(x.numel(), 1024),)](out, x, x.numel(), SIZE=1024)
    return out
