# expect: too-few-programs
import torch
import triton
import triton.language as tl


@triton.jit
def mask_kernel(w_ptr, out_ptr, rows, columns, row_stride, column_stride, GROUPS: tl.constexpr):
    place = tl.arange(0, 4)
    for row in range(rows):
        for start in range(0, columns // 4, GROUPS):
            column = (start + tl.arange(0, GROUPS))[:, None] * 4 + place[None, :]
            exists = column < columns
            at = row * row_stride + column * column_stride
            size = tl.abs(tl.load(w_ptr + at, mask=exists, other=0.0))
            mine, other = size[:, :, None], size[:, None, :]
            earlier = (place[None, :] < place[:, None])[None, :, :]
            beats = (other > mine) | ((other == mine) & earlier)
            rank = tl.sum(beats.to(tl.int32), axis=2)
            tl.store(out_ptr + row * columns + column, (rank < 2).to(tl.int8), mask=exists)


def two_four_sparse_mask(w: torch.Tensor) -> torch.Tensor:
    rows, columns = w.shape
    out = torch.empty((rows, columns), dtype=torch.int8, device=w.device)
    mask_kernel[(1,)](w, out, rows, columns, w.stride(0), w.stride(1), GROUPS=256)
    return out
