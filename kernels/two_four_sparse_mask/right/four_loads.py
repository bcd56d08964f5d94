import torch
import triton
import triton.language as tl


@triton.jit
def wins(a, b, c, d):
    """Return where at most one of `b`, `c`, `d` beats `a`; their claims are 0 or 1."""
    return (b.to(tl.int32) + c.to(tl.int32) + d.to(tl.int32) < 2).to(tl.int8)


@triton.jit
def four_kernel(w_ptr, out_ptr, quarter, sr, sc, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    g = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    ok = g < quarter
    base = w_ptr + row * sr + 4 * g * sc
    a = tl.abs(tl.load(base, mask=ok, other=0.0))
    b = tl.abs(tl.load(base + sc, mask=ok, other=0.0))
    c = tl.abs(tl.load(base + 2 * sc, mask=ok, other=0.0))
    d = tl.abs(tl.load(base + 3 * sc, mask=ok, other=0.0))
    # A later one has to be strictly larger.
    to = out_ptr + row * 4 * quarter + 4 * g
    tl.store(to, wins(a, b > a, c > a, d > a), mask=ok)
    tl.store(to + 1, wins(b, a >= b, c > b, d > b), mask=ok)
    tl.store(to + 2, wins(c, a >= c, b >= c, d > c), mask=ok)
    tl.store(to + 3, wins(d, a >= d, b >= d, c >= d), mask=ok)


def two_four_sparse_mask(w: torch.Tensor) -> torch.Tensor:
    rows, columns = w.shape
    out = w.new_empty((rows, columns), dtype=torch.int8)
    grid = (triton.cdiv(columns // 4, 128), rows)
    four_kernel[grid](w, out, columns // 4, w.stride(0), w.stride(1), BLOCK=128)
    return out
