# expect: wrong-stride
import torch
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def transpose_rows(
    x_ptr, out_ptr, rows, columns, row_stride, column_stride, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, columns, BLOCK):
        column = start + tl.arange(0, BLOCK).to(tl.int64)
        inside = column < columns
        v = tl.load(x_ptr + row * row_stride + column * column_stride, mask=inside)
        tl.store(out_ptr + row * columns + column, v, mask=inside)


def transpose_naive(x: torch.Tensor) -> torch.Tensor:
    """[rows, columns] -> [columns, rows], float32, a new contiguous tensor."""
    rows, columns = x.shape
    out = torch.empty((columns, rows), dtype=x.dtype, device=x.device)
    transpose_rows[(rows,)](x, out, rows, columns, *x.stride(), BLOCK=BLOCK)
    return out
