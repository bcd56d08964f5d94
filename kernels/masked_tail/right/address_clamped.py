import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def smallest_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # A lane past the end reads the last element again, which the block has anyway.
    v = tl.load(x_ptr + tl.minimum(at, n - 1))
    tl.store(out_ptr + tl.program_id(0), tl.min(v, axis=0))


def smallest_of_blocks(x):
    n = x.numel()
    blocks = triton.cdiv(n, BLOCK)
    out = torch.empty(blocks, dtype=x.dtype, device=x.device)
    smallest_kernel[(blocks,)](x, out, n, BLOCK=BLOCK)
    return out
