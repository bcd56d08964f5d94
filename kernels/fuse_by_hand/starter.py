import torch
import triton
import triton.language as tl

BLOCK = 1024


@triton.jit
def scale_shift_kernel(
    x_ptr, scale_ptr, shift_ptr, out_ptr, n, columns, BLOCK: tl.constexpr
):  # fmt: skip
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x_ptr + i, mask=mask)
    scale = tl.load(scale_ptr + i % columns, mask=mask)
    shift = tl.load(shift_ptr + i % columns, mask=mask)
    tl.store(out_ptr + i, v * scale + shift, mask=mask)


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x_ptr + i, mask=mask)
    tl.store(out_ptr + i, tl.maximum(v, 0.0), mask=mask)


@triton.jit
def add_kernel(x_ptr, skip_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    v = tl.load(x_ptr + i, mask=mask)
    tl.store(out_ptr + i, v + tl.load(skip_ptr + i, mask=mask), mask=mask)


def block_end(
    x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor, skip: torch.Tensor
) -> torch.Tensor:
    """relu(x * scale + shift) + skip, float32; scale and shift have one number a column."""
    # Right, and slow: write one kernel, and launch it
    # once.
    n, columns = x.numel(), x.shape[1]
    grid = (triton.cdiv(n, BLOCK),)
    scaled, clamped, out = (torch.empty_like(x) for _ in range(3))
    scale_shift_kernel[grid](x, scale, shift, scaled, n, columns, BLOCK=BLOCK)
    relu_kernel[grid](scaled, clamped, n, BLOCK=BLOCK)
    add_kernel[grid](clamped, skip, out, n, BLOCK=BLOCK)
    return out
