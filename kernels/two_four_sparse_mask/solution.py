import torch
import triton
import triton.language as tl


@triton.jit
def mask_kernel(
    w_ptr, out_ptr, columns, row_stride, column_stride, GROUPS: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    group = tl.program_id(1) * GROUPS + tl.arange(0, GROUPS)
    place = tl.arange(0, 4)
    column = group[:, None] * 4 + place[None, :]
    exists = column < columns
    # The strides of the view: nothing is copied, and each number is loaded by one lane.
    at = row * row_stride + column.to(tl.int64) * column_stride
    size = tl.abs(tl.load(w_ptr + at, mask=exists, other=0.0))
    # [GROUPS, mine, other]: each number beside each of its group, itself among them.
    mine, other = size[:, :, None], size[:, None, :]
    earlier = (place[None, :] < place[:, None])[None, :, :]
    # Exactly one of two equal numbers beats the other, so the ranks are 0, 1, 2 and 3.
    beats = (other > mine) | ((other == mine) & earlier)
    rank = tl.sum(beats.to(tl.int32), axis=2)
    tl.store(out_ptr + row * columns + column, (rank < 2).to(tl.int8), mask=exists)


def two_four_sparse_mask(w: torch.Tensor) -> torch.Tensor:
    """Return int8 [N, K]: 1 for the two numbers of largest magnitude in each four neighbours."""
    rows, columns = w.shape
    out = torch.empty((rows, columns), dtype=torch.int8, device=w.device)
    groups = 64
    mask_kernel[(rows, triton.cdiv(columns // 4, groups))](
        w, out, columns, w.stride(0), w.stride(1), GROUPS=groups
    )
    return out
