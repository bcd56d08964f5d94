import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(
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
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    for step in range(tl.cdiv(K, BLOCK_K)):
        k = (step * BLOCK_K + tl.arange(0, BLOCK_K)).to(tl.int64)
        a_tile = a_ptr + rows[:, None] * a_row + k[None, :] * a_col
        b_tile = b_ptr + k[:, None] * b_row + columns[None, :] * b_col
        x = tl.load(a_tile, mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b_tile, mask=(k[:, None] < K) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc, input_precision="ieee")
    at = c_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    block_m, block_n, block_k = 64, 64, 32
    matmul_kernel[(triton.cdiv(m, block_m), triton.cdiv(n, block_n))](
        a,
        b,
        c,
        m,
        n,
        k,
        *a.stride(),
        *b.stride(),
        BLOCK_M=block_m,
        BLOCK_N=block_n,
        BLOCK_K=block_k,
    )
    return c
