"""Vectors of pointers that move along K; blocks of 64 by 16."""

import torch
import triton
import triton.language as tl


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
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
):
    rows = tl.program_id(0).to(tl.int64) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1).to(tl.int64) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros([BLOCK_M, BLOCK_N], dtype=tl.float32)
    a_at = a_ptr + rows * a_row
    b_at = b_ptr + columns * b_col
    for _ in range(K):
        x = tl.load(a_at, mask=rows < M, other=0.0)
        y = tl.load(b_at, mask=columns < N, other=0.0)
        acc = tl.fma(
            tl.broadcast_to(x[:, None], acc.shape), tl.broadcast_to(y[None, :], acc.shape), acc
        )
        a_at += a_col
        b_at += b_row
    at = c_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), device=a.device)
    grid = (triton.cdiv(m, 64), triton.cdiv(n, 16))
    kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), BLOCK_M=64, BLOCK_N=16)
    return c
