# until: triton 3.9
import torch
import triton
import triton.language as tl


@triton.jit
def row_sum_kernel(x_ptr, out_ptr, rows, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.make_block_ptr(
        x_ptr, (rows, columns), (row_stride, column_stride), (row, 0), (1, BLOCK), (1, 0)
    )
    total = tl.zeros([1, BLOCK], dtype=tl.float32)
    for _ in range(0, columns, BLOCK):
        total += tl.load(at, boundary_check=(1,), padding_option="zero")
        at = tl.advance(at, (0, BLOCK))
    tl.store(out_ptr + row, tl.sum(total))


def row_sum(x):
    rows, columns = x.shape
    out = torch.empty(rows, dtype=x.dtype, device=x.device)
    row_sum_kernel[(rows,)](x, out, rows, columns, *x.stride(), BLOCK=512)
    return out
