# expect: wrong-values
import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    row_ptr = x_ptr + row * row_stride
    partial = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK)
        partial = tl.zeros([BLOCK], dtype=tl.float32)
        partial += tl.load(
            row_ptr + column.to(tl.int64) * column_stride, mask=column < columns, other=0.0
        )
    tl.store(out_ptr + row, tl.sum(partial, axis=0))


def row_sum(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    block = min(BLOCK, triton.next_power_of_2(columns))
    row_sum_kernel[(rows,)](x, out, columns, x.stride(0), x.stride(1), BLOCK=block)
    return out
