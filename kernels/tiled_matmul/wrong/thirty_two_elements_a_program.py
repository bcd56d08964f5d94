# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, N, K, a_row, a_col, b_row, b_col, BLOCK: tl.constexpr, WIDTH: tl.constexpr
):
    row = tl.program_id(0)
    column = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    total = tl.zeros([BLOCK, WIDTH], dtype=tl.float32)
    for start in range(0, K, BLOCK):
        k = start + tl.arange(0, BLOCK)
        x = tl.load(a_ptr + row * a_row + k * a_col, mask=k < K, other=0.0)
        inside = (k[:, None] < K) & (column[None, :] < N)
        y = tl.load(b_ptr + k[:, None] * b_row + column[None, :] * b_col, mask=inside, other=0.0)
        total += x[:, None] * y
    tl.store(c_ptr + row * N + column, tl.sum(total, axis=0), mask=column < N)


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (m, triton.cdiv(n, 32))
    matmul_kernel[grid](a, b, c, n, k, *a.stride(), *b.stride(), BLOCK=128, WIDTH=32)
    return c
