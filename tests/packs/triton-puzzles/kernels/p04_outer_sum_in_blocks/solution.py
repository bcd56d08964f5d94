import torch
import triton
import triton.language as tl

BLOCK = 32


@triton.jit
def outer_sum_kernel(x_ptr, y_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr):
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + j, mask=j < columns)
    y = tl.load(y_ptr + i, mask=i < rows)
    mask = (i[:, None] < rows) & (j[None, :] < columns)
    tl.store(out_ptr + i[:, None] * columns + j[None, :], x[None, :] + y[:, None], mask=mask)


def outer_sum(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x[j] + y[i], for any lengths."""
    columns, rows = x.numel(), y.numel()
    out = torch.empty(rows, columns, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(columns, BLOCK), triton.cdiv(rows, BLOCK))
    outer_sum_kernel[grid](x, y, out, columns, rows, BLOCK=BLOCK)
    return out
