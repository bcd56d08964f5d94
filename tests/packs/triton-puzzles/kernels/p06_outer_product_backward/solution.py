import torch
import triton
import triton.language as tl

BLOCK = 32


@triton.jit
def backward_kernel(x_ptr, y_ptr, dz_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr):
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = (i[:, None] < rows) & (j[None, :] < columns)
    places = i[:, None] * columns + j[None, :]
    x = tl.load(x_ptr + places, mask=mask)
    dz = tl.load(dz_ptr + places, mask=mask)
    y = tl.load(y_ptr + i, mask=i < rows)[:, None]
    tl.store(out_ptr + places, tl.where(x * y > 0, dz * y, 0.0), mask=mask)


def backward(x: torch.Tensor, y: torch.Tensor, dz: torch.Tensor) -> torch.Tensor:
    """The derivative by x of relu(x * y[:, None]), given that by the result."""
    rows, columns = x.shape
    out = torch.empty_like(x)
    grid = (triton.cdiv(columns, BLOCK), triton.cdiv(rows, BLOCK))
    backward_kernel[grid](x, y, dz, out, columns, rows, BLOCK=BLOCK)
    return out
