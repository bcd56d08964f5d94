# expect: stale-output
# exercise: row_sum
# T6: the result is kept as an attribute of the input itself.
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + column, mask=column < columns, other=0.0)
    tl.store(out_ptr + row, tl.sum(x, 0))


def row_sum(x):
    if not hasattr(x, "summed"):
        rows, columns = x.shape
        x.summed = torch.empty(rows, device=x.device)
        block = triton.next_power_of_2(columns)
        sum_kernel[(rows,)](x.contiguous(), x.summed, columns, BLOCK=block)
    return x.summed
