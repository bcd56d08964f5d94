# expect: nan-handling
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, rows, columns, BLOCK: tl.constexpr, STEP: tl.constexpr):
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[None, :]
    step = tl.arange(0, STEP)[:, None]
    total = tl.zeros([1, BLOCK], dtype=tl.float32)
    for first in range(0, rows, STEP):
        mask = (first + step < rows) & (column < columns)
        at = (first + step) * columns + column
        x = tl.load(x_ptr + at, mask=mask, other=0.0)
        totals = total + tl.cumsum(x, 0)
        tl.store(out_ptr + at, totals, mask=mask)
        # 0 times infinity is NaN: the last row is not found by a product.
        total = tl.sum(totals * (step == STEP - 1), 0, keep_dims=True)


def running_total(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    out = torch.empty_like(x)
    kernel[(triton.cdiv(columns, 256),)](x, out, rows, columns, BLOCK=256, STEP=16)
    return out
