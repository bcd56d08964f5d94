# expect: wrong-values
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, a_row, a_col, b_row, b_col,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        x = tl.load(
            a_ptr + rows[:, None] * a_row + k[None, :] * a_col,
            mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0,
        )
        y = tl.load(
            b_ptr + k[:, None] * b_row + columns[None, :] * b_col,
            mask=(k[:, None] < K) & (columns[None, :] < N), other=0.0,
        )
        acc = tl.dot(x, y, input_precision="ieee")
    at = c_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32))
    matmul_kernel[grid](
        a, b, c, m, n, k, *a.stride(), *b.stride(), BLOCK_M=32, BLOCK_N=32, BLOCK_K=32,
    )
    return c
