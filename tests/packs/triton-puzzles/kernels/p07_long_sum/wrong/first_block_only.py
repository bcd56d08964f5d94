# expect: hard-coded-size
import torch
import triton
import triton.language as tl

BLOCK = 128


@triton.jit
def sum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(0, BLOCK, BLOCK):
        j = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + j, mask=j < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(total, axis=0))


def long_sum(x: torch.Tensor) -> torch.Tensor:
    """The sum of each row."""
    rows, columns = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    sum_kernel[(rows,)](x, out, columns, BLOCK=BLOCK)
    return out
