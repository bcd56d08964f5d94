# expect: out-of-bounds-load
import torch
import triton
import triton.language as tl

BLOCK = 16


@triton.jit
def convolve_kernel(
    x_ptr, w_ptr, out_ptr, height, width, KH: tl.constexpr, KW: tl.constexpr, BLOCK: tl.constexpr
):
    image = tl.program_id(2) * height * width
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK, BLOCK], tl.float32)
    for u in range(KH):
        for v in range(KW):
            inside = (i + u < height)[:, None] & (j < width)[None, :]
            places = image + (i + u)[:, None] * width + (j + v)[None, :]
            total += tl.load(x_ptr + places, mask=inside, other=0.0) * tl.load(w_ptr + u * KW + v)
    mask = (i < height)[:, None] & (j < width)[None, :]
    tl.store(out_ptr + image + i[:, None] * width + j[None, :], total, mask=mask)


def convolve(x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """Slide the weights over each image; outside it is 0."""
    images, height, width = x.shape
    out = torch.empty_like(x)
    grid = (triton.cdiv(width, BLOCK), triton.cdiv(height, BLOCK), images)
    rows, columns = weights.shape
    convolve_kernel[grid](x, weights, out, height, width, KH=rows, KW=columns, BLOCK=BLOCK)
    return out
