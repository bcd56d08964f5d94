import torch
import triton
import triton.language as tl

TILE = 32


@triton.jit
def product_kernel(x_ptr, y_ptr, out_ptr, rows, columns, inner, TILE: tl.constexpr):
    batch = tl.program_id(2)
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)[:, None]
    j = tl.program_id(0) * TILE + tl.arange(0, TILE)[None, :]
    x_ptr += batch * rows * inner
    y_ptr += batch * inner * columns
    total = tl.zeros([TILE, TILE], tl.float32)
    for start in range(0, inner, TILE):
        across = start + tl.arange(0, TILE)[None, :]
        down = start + tl.arange(0, TILE)[:, None]
        x = tl.load(x_ptr + i * inner + across, mask=(i < rows) & (across < inner), other=0.0)
        y = tl.load(y_ptr + down * columns + j, mask=(down < inner) & (j < columns), other=0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
    places = batch * rows * columns + i * columns + j
    tl.store(out_ptr + places, total, mask=(i < rows) & (j < columns))


def product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The product of each pair of matrices."""
    batch, rows, inner = x.shape
    columns = y.shape[2]
    out = torch.empty(batch, rows, columns, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(columns, TILE), triton.cdiv(rows, TILE), batch)
    product_kernel[grid](x, y, out, rows, columns, inner, TILE=TILE)
    return out
