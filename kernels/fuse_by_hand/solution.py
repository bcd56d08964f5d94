import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def block_end_kernel(
    x_ptr, scale_ptr, shift_ptr, skip_ptr, out_ptr, n, columns, BLOCK: tl.constexpr
):
    # 64 bits, because 2**31 elements are only 8 GiB.
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    column = i % columns
    # Four loads: two matrices once, and two vectors whose few numbers stay in a cache.
    v = tl.load(x_ptr + i, mask=mask)
    scale = tl.load(scale_ptr + column, mask=mask)
    shift = tl.load(shift_ptr + column, mask=mask)
    skip = tl.load(skip_ptr + i, mask=mask)
    # The starter's three bodies in a row. What one stored for the next to load is a name now, and
    # its lanes stay in registers: 12 bytes an element move instead of 28.
    v = v * scale + shift
    v = tl.maximum(v, 0.0)
    tl.store(out_ptr + i, v + skip, mask=mask)


def block_end(
    x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor, skip: torch.Tensor
) -> torch.Tensor:
    """relu(x * scale + shift) + skip, float32; scale and shift have one number a column."""
    n, columns = x.numel(), x.shape[1]
    out = torch.empty_like(x)
    block_end_kernel[(triton.cdiv(n, BLOCK),)](x, scale, shift, skip, out, n, columns, BLOCK=BLOCK)
    return out
