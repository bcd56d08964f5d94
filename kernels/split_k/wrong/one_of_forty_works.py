# expect: too-few-programs
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr):
    if tl.program_id(0) > 0:
        return
    rows, columns = tl.arange(0, BM), tl.arange(0, BN)
    acc = tl.zeros([BM, BN], dtype=tl.float32)
    for start in range(0, K, 64):
        k = start + tl.arange(0, 64)
        x = tl.load(
            a_ptr + rows[:, None] * K + k[None, :],
            mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0,
        )  # fmt: skip
        y = tl.load(
            b_ptr + k[:, None] * N + columns[None, :],
            mask=(k[:, None] < K) & (columns[None, :] < N), other=0.0,
        )  # fmt: skip
        acc = tl.dot(x, y, acc)
    at = c_ptr + rows[:, None] * N + columns[None, :]
    tl.store(at, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[M, K] x [K, N] -> [M, N]: float16 in, float32 out."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=torch.float32, device=a.device)
    kernel[(40,)](a, b, c, m, n, k, BM=32, BN=32)
    return c
