# expect: race
import torch
import triton
import triton.language as tl


@triton.jit
def running_total_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < columns
    total = tl.load(x_ptr + row * columns + column, mask=mask)
    if row > 0:
        total += tl.load(out_ptr + (row - 1) * columns + column, mask=mask)
    tl.store(out_ptr + row * columns + column, total, mask=mask)


def running_total(x):
    rows, columns = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    running_total_kernel[(rows,)](x, out, columns, BLOCK=block)
    return out
