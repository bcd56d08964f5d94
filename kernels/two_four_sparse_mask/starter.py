import torch
import triton
import triton.language as tl


@triton.jit
def mask_kernel(
    w_ptr, out_ptr, columns, row_stride, column_stride,
    GROUPS: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    group = tl.program_id(1) * GROUPS + tl.arange(0, GROUPS)
    place = tl.arange(0, 4)
    column = group[:, None] * 4 + place[None, :]
    exists = column < columns
    at = row * row_stride + column.to(tl.int64) * column_stride
    w = tl.load(w_ptr + at, mask=exists, other=0.0)
    # Which two of each row of this tile are kept?
    keep = w > 0
    tl.store(
        out_ptr + row * columns + column, keep.to(tl.int8), mask=exists
    )


def two_four_sparse_mask(w: torch.Tensor) -> torch.Tensor:
    """Return int8 [N, K]: 1 for the two to keep of each four."""
    rows, columns = w.shape
    out = torch.empty(
        (rows, columns), dtype=torch.int8, device=w.device
    )
    groups = 64
    mask_kernel[(rows, triton.cdiv(columns // 4, groups))](
        w, out, columns, w.stride(0), w.stride(1), GROUPS=groups
    )
    return out
