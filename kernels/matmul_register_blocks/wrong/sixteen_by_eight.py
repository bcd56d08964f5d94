# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, a_row, a_col, b_row, b_col,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for k in range(K):
        x = tl.load(a_ptr + rows * a_row + k * a_col, mask=rows < M, other=0.0)
        y = tl.load(b_ptr + k * b_row + columns * b_col, mask=columns < N, other=0.0)
        acc += x[:, None] * y[None, :]
    at = c_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[M, K] x [K, N] -> [M, N], float32.

    A 32 x 32 block does 2 * 32 * 32 operations for 64 loaded numbers: 8 FLOP a byte.
    """
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 8))
    matmul_kernel[grid](
        a, b, c, m, n, k, *a.stride(), *b.stride(), BLOCK_M=16, BLOCK_N=8
    )
    return c
