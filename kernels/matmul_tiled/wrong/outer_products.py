# expect: wrong-values
import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    acc = tl.zeros([TILE, TILE], dtype=tl.float32)
    for k in range(0, K):
        x = tl.load(a_ptr + rows * K + k)
        y = tl.load(b_ptr + k * N + columns)
        acc += x[:, None] * y[None, :]
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc)


def matmul(a, b):
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    matmul_kernel[(m // 32, n // 32)](a, b, c, n, k, TILE=32)
    return c
