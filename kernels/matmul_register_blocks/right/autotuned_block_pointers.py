# until: triton 3.9
"""Block pointers to one column of a and one row of b, in autotuned blocks wider than high."""

import triton
import triton.language as tl

CONFIGS = [triton.Config({"HIGH": high, "WIDE": wide}) for high, wide in ((32, 64), (16, 32))]


@triton.autotune(configs=CONFIGS, key=["M", "N"])
@triton.jit
def kernel(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    a_row,
    a_col,
    b_row,
    b_col,
    HIGH: tl.constexpr,
    WIDE: tl.constexpr,
):
    top, left = tl.program_id(0) * HIGH, tl.program_id(1) * WIDE
    x_at = tl.make_block_ptr(a_ptr, (M, K), (a_row, a_col), (top, 0), (HIGH, 1), (0, 1))
    y_at = tl.make_block_ptr(b_ptr, (K, N), (b_row, b_col), (0, left), (1, WIDE), (1, 0))
    c_at = tl.make_block_ptr(c_ptr, (M, N), (N, 1), (top, left), (HIGH, WIDE), (1, 0))
    acc = tl.full((HIGH, WIDE), 0.0, tl.float32)
    for _ in range(K):
        x = tl.load(x_at, boundary_check=(0,), padding_option="zero")
        y = tl.load(y_at, boundary_check=(1,), padding_option="zero")
        acc += x * y
        x_at, y_at = tl.advance(x_at, (0, 1)), tl.advance(y_at, (1, 0))
    tl.store(c_at, acc, boundary_check=(0, 1))


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = a.new_empty(m, n)

    def grid(meta):
        return triton.cdiv(m, meta["HIGH"]), triton.cdiv(n, meta["WIDE"])

    kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride())
    return c
