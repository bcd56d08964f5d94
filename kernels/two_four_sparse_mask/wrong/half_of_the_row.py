# expect: wrong-values or too-wide-block
import torch
import triton
import triton.language as tl


@triton.jit
def mask_kernel(w_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, BLOCK)
    exists = column < columns
    size = tl.abs(tl.load(w_ptr + row * row_stride + column * column_stride, mask=exists, other=0.0))
    size = tl.where(exists, size.to(tl.float32), -1.0)
    ordered = tl.sort(size, descending=True)
    limit = tl.max(tl.where(column == columns // 2 - 1, ordered, -1.0), axis=0)
    tl.store(out_ptr + row * columns + column, (size >= limit).to(tl.int8), mask=exists)


def two_four_sparse_mask(w: torch.Tensor) -> torch.Tensor:
    rows, columns = w.shape
    out = torch.empty((rows, columns), dtype=torch.int8, device=w.device)
    mask_kernel[(rows,)](
        w, out, columns, w.stride(0), w.stride(1), BLOCK=triton.next_power_of_2(columns)
    )
    return out
