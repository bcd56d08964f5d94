# The program that comes last, which a counter says, reads what all have added up atomically.
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, sum_ptr, count_ptr, out_ptr, columns, rs, cs, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * rs + column * cs, mask=column < columns, other=0.0)
    tl.atomic_add(sum_ptr + row, tl.sum(x, 0))
    before = tl.atomic_add(count_ptr + row, 1)
    if before == tl.num_programs(1) - 1:
        tl.store(out_ptr + row, tl.load(sum_ptr + row))
        tl.store(count_ptr + row, 0)  # ready for the next launch


def row_sum(x):
    rows, columns = x.shape
    total = torch.zeros(rows, device=x.device)
    count = torch.zeros(rows, dtype=torch.int32, device=x.device)
    out = torch.empty(rows, device=x.device)
    kernel[(rows, triton.cdiv(columns, 512))](x, total, count, out, columns, *x.stride(), BLOCK=512)
    return out
