import torch
import triton
import triton.language as tl


@triton.jit
def gelu(v):
    return v * (0.5 + 0.5 * tl.erf(v * 0.70710678))


@triton.jit
def bias_gelu_kernel(
    x_ptr, bias_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLS: tl.constexpr
):
    column = tl.program_id(0) * COLS + tl.arange(0, COLS)
    bias = tl.load(bias_ptr + column, mask=column < columns, other=0.0)
    for start in range(0, rows, ROWS):
        row = start + tl.arange(0, ROWS)
        mask = (row[:, None] < rows) & (column[None, :] < columns)
        at = row[:, None] * columns + column[None, :]
        v = tl.load(x_ptr + at, mask=mask, other=0.0) + bias[None, :]
        tl.store(out_ptr + at, gelu(v), mask=mask)


def bias_gelu(x, bias):
    flat = x.reshape(-1, x.shape[-1]).contiguous()
    rows, columns = flat.shape
    out = torch.empty_like(flat)
    bias_gelu_kernel[(triton.cdiv(columns, 128),)](
        flat, bias.contiguous(), out, rows, columns, ROWS=16, COLS=128
    )
    return out.view(x.shape)
