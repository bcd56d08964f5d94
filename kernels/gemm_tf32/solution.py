import torch
import triton
import triton.language as tl


@triton.jit
def gemm_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, a_row, a_col, b_row, b_col,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        # 64 bits for the offsets: a matrix of 2**31 elements is only 8 GiB.
        at_a = rows.to(tl.int64)[:, None] * a_row + k.to(tl.int64)[None, :] * a_col
        at_b = k.to(tl.int64)[:, None] * b_row + columns.to(tl.int64)[None, :] * b_col
        # Lanes past K hold 0 in both factors, and 0 * 0 adds nothing.
        x = tl.load(a_ptr + at_a, mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b_ptr + at_b, mask=(k[:, None] < K) & (columns[None, :] < N), other=0.0)
        # The tensor cores read 10 bits of each factor's fraction and leave out the last 13. The
        # products and their sum keep float32.
        acc = tl.dot(x, y, acc, input_precision="tf32")
    at = c_ptr + rows.to(tl.int64)[:, None] * N + columns[None, :]
    tl.store(at, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def gemm(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[M, K] x [K, N] -> [M, N], float32, multiplied in TF32."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64))
    gemm_kernel[grid](
        a, b, c, m, n, k, *a.stride(), *b.stride(), BLOCK_M=64, BLOCK_N=64, BLOCK_K=32
    )
    return c
