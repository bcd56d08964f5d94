# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def mask_kernel(w_ptr, out_ptr, columns, row_stride, column_stride, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    exists = column < columns
    base = w_ptr + row * row_stride
    mine = tl.abs(tl.load(base + column * column_stride, mask=exists, other=0.0))
    rank = tl.zeros([BLOCK], tl.int32)
    for j in range(4):
        at = column // 4 * 4 + j
        other = tl.abs(tl.load(base + at * column_stride, mask=exists, other=0.0))
        rank += ((other > mine) | ((other == mine) & (at < column))).to(tl.int32)
    tl.store(out_ptr + row * columns + column, (rank < 2).to(tl.int8), mask=exists)


def two_four_sparse_mask(w: torch.Tensor) -> torch.Tensor:
    rows, columns = w.shape
    out = torch.empty((rows, columns), dtype=torch.int8, device=w.device)
    mask_kernel[(rows, triton.cdiv(columns, 256))](
        w, out, columns, w.stride(0), w.stride(1), BLOCK=256
    )
    return out
