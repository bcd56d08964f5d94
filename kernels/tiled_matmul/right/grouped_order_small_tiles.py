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
    GROUP: tl.constexpr,
):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    group = pid // (GROUP * tiles_n)
    first = group * GROUP
    size = min(tiles_m - first, GROUP)
    pid_m = first + pid % (GROUP * tiles_n) % size
    pid_n = pid % (GROUP * tiles_n) // size
    # rows and columns past the end wrap around: what they compute is not stored
    rows = (pid_m * BM + tl.arange(0, BM)) % M
    columns = (pid_n * BN + tl.arange(0, BN)) % N
    inner = tl.arange(0, BK)
    a_tile = a_ptr + rows[:, None] * a_row + inner[None, :] * a_col
    b_tile = b_ptr + inner[:, None] * b_row + columns[None, :] * b_col
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(a_tile, mask=inner[None, :] < K - k * BK, other=0.0)
        y = tl.load(b_tile, mask=inner[:, None] < K - k * BK, other=0.0)
        acc += tl.dot(x, y, input_precision="ieee")
        a_tile += BK * a_col
        b_tile += BK * b_row
    rows = pid_m * BM + tl.arange(0, BM)
    columns = pid_n * BN + tl.arange(0, BN)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc, mask=mask)


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 32) * triton.cdiv(n, 32),)
    matmul_kernel[grid](a, b, c, m, n, k, *a.stride(), *b.stride(), BM=32, BN=32, BK=32, GROUP=4)
    return c
