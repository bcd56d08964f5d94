# expect: wrong-values
import torch
import triton
import triton.language as tl

BLOCK = 32


@triton.jit
def relu_outer_kernel(x_ptr, y_ptr, out_ptr, columns, rows, BLOCK: tl.constexpr):
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + j, mask=j < columns)
    y = tl.load(y_ptr + i, mask=i < rows)
    product = x[None, :] * y[:, None]
    value = product
    mask = (i[:, None] < rows) & (j[None, :] < columns)
    tl.store(out_ptr + i[:, None] * columns + j[None, :], value, mask=mask)


def relu_outer(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """relu(x[j] * y[i]), for any lengths."""
    columns, rows = x.numel(), y.numel()
    out = torch.empty(rows, columns, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(columns, BLOCK), triton.cdiv(rows, BLOCK))
    relu_outer_kernel[grid](x, y, out, columns, rows, BLOCK=BLOCK)
    return out
