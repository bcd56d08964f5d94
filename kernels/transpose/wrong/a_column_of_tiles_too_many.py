# expect: output-not-written
import torch
import triton
import triton.language as tl


SIDE = 64


@triton.jit
def flip_kernel(x_ptr, out_ptr, R, C, row_stride, column_stride, SIDE: tl.constexpr):
    tiles_across = C // SIDE + 1
    tile = tl.program_id(0)
    i = (tile // tiles_across) * SIDE + tl.arange(0, SIDE)[:, None]
    j = (tile % tiles_across) * SIDE + tl.arange(0, SIDE)[None, :]
    mask = (i < R) & (j < C)
    v = tl.load(x_ptr + i.to(tl.int64) * row_stride + j.to(tl.int64) * column_stride, mask=mask)
    # the same lanes, with the two axes of the addresses exchanged
    tl.store(out_ptr + j.to(tl.int64) * R + i, v, mask=mask)


def transpose(x: torch.Tensor) -> torch.Tensor:
    rows, columns = x.shape
    out = torch.empty((columns, rows), dtype=x.dtype, device=x.device)
    programs = triton.cdiv(rows, SIDE) * triton.cdiv(columns, SIDE)
    flip_kernel[(programs,)](x, out, rows, columns, x.stride(0), x.stride(1), SIDE=SIDE)
    return out
