import torch
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, rows, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    mask = column < columns
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        x = tl.load(
            x_ptr + row * row_stride + column * column_stride, mask=mask, other=-float("inf")
        )
        e = tl.exp2(LOG2_E * (x - tl.max(x, axis=0)))
        tl.store(out_ptr + row * columns + column, e * (1.0 / tl.sum(e, axis=0)), mask=mask)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty(rows, columns, dtype=x.dtype, device=x.device)
    softmax_kernel[(min(rows, 3),)](
        x, out, rows, columns, *x.stride(), BLOCK=triton.next_power_of_2(columns), num_warps=8
    )
    return out
