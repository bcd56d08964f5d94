import torch
import triton
import triton.language as tl

TILE = 32


@triton.jit
def product_kernel(
    packed_ptr, scales_ptr, x_ptr, out_ptr, rows, columns, groups, TILE: tl.constexpr
):
    i = tl.program_id(1) * TILE + tl.arange(0, TILE)[:, None]
    j = tl.program_id(0) * TILE + tl.arange(0, TILE)[None, :]
    total = tl.zeros([TILE, TILE], tl.float32)
    for start in range(0, groups * 8, TILE):
        across = start + tl.arange(0, TILE)[None, :]
        down = start + tl.arange(0, TILE)[:, None]
        known = (i < rows) & (across < groups * 8)
        place = i * groups + across // 8
        word = tl.load(packed_ptr + place, mask=known, other=0)
        scale = tl.load(scales_ptr + place, mask=known, other=0.0)
        weight = (((word >> (across % 8 * 4)) & 15) - 8).to(tl.float32) * scale
        x = tl.load(x_ptr + down * columns + j, mask=(down < groups * 8) & (j < columns), other=0.0)
        total = tl.dot(weight, x, total, input_precision="ieee")
    tl.store(out_ptr + i * columns + j, total, mask=(i < rows) & (j < columns))


def product(packed: torch.Tensor, scales: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """The product of weights of 4 bits with x."""
    rows, groups = packed.shape
    columns = x.shape[1]
    out = torch.empty(rows, columns, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(columns, TILE), triton.cdiv(rows, TILE))
    product_kernel[grid](packed, scales, x, out, rows, columns, groups, TILE=TILE)
    return out
