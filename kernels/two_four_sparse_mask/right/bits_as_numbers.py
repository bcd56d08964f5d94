import torch
import triton
import triton.language as tl


@triton.jit
def keys_kernel(w_ptr, out_ptr, rows, columns, sr, sc, R: tl.constexpr, C: tl.constexpr):
    """Give each number a key of its own, and keep it if one other key at most is larger."""
    row = tl.program_id(0) * R + tl.arange(0, R)
    column = tl.program_id(1) * C + tl.arange(0, C)
    mask = (row[:, None] < rows) & (column[None, :] < columns)
    x = tl.load(w_ptr + row[:, None] * sr + column[None, :] * sc, mask=mask, other=0.0)
    # Of positive floats the bits are ordered as the numbers are. The place breaks ties.
    bits = tl.abs(x.to(tl.float32)).to(tl.int32, bitcast=True).to(tl.int64)
    key = bits * 4 + (3 - column % 4)[None, :]
    key = tl.reshape(key, (R, C // 4, 4))
    larger = tl.sum((key[:, :, None, :] > key[:, :, :, None]).to(tl.int32), axis=3)
    keep = tl.reshape((larger <= 1).to(tl.int8), (R, C))
    tl.store(out_ptr + row[:, None] * columns + column[None, :], keep, mask=mask)


def two_four_sparse_mask(w: torch.Tensor) -> torch.Tensor:
    rows, columns = w.shape
    out = torch.zeros((rows, columns), dtype=torch.int8, device=w.device)
    keys_kernel[(triton.cdiv(rows, 4), triton.cdiv(columns, 256))](
        w, out, rows, columns, w.stride(0), w.stride(1), R=4, C=256
    )
    return out
