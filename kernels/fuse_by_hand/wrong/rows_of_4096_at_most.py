# expect: output-not-written
import torch
import triton
import triton.language as tl

BLOCK = 4096


@triton.jit
def block_end_kernel(x_ptr, scale_ptr, shift_ptr, skip_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    mask = column < columns
    i = tl.program_id(0).to(tl.int64) * columns + column
    v = tl.load(x_ptr + i, mask=mask) * tl.load(scale_ptr + column, mask=mask)
    v = tl.maximum(v + tl.load(shift_ptr + column, mask=mask), 0.0)
    tl.store(out_ptr + i, v + tl.load(skip_ptr + i, mask=mask), mask=mask)


def block_end(
    x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor, skip: torch.Tensor
) -> torch.Tensor:
    """Compute a row a program, in one block that does not hold every row."""
    out = torch.empty_like(x)
    block_end_kernel[(x.shape[0],)](x, scale, shift, skip, out, x.shape[1], BLOCK=BLOCK)
    return out
