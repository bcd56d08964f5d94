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
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    SPLIT: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(tl.program_id(2) * BK, K, SPLIT * BK):
        k = start + tl.arange(0, BK)
        x = tl.load(
            a_ptr + rows[:, None] * a_row + k[None, :] * a_col,
            mask=(rows[:, None] < M) & (k[None, :] < K),
            other=0.0,
        )
        y = tl.load(
            b_ptr + k[:, None] * b_row + columns[None, :] * b_col,
            mask=(k[:, None] < K) & (columns[None, :] < N),
            other=0.0,
        )
        acc += tl.dot(x, y, input_precision="ieee")
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.atomic_add(c_ptr + rows[:, None] * N + columns[None, :], acc, mask=mask)


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.zeros((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 64), 2)
    matmul_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), BM=64, BN=64, BK=64, SPLIT=2)
    return c
