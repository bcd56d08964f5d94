# expect: wrong-values
import torch
import triton
import triton.language as tl


CONFIGS = [triton.Config({"BM": t, "BN": t, "BK": 32, "PART": 64}) for t in (16, 32, 64)]


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def chooser(c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PART: tl.constexpr):
    tl.store(c_ptr, 0)


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PART: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    begin = tl.program_id(2) * PART
    acc = tl.zeros([BM, BN], dtype=tl.int32)
    for start in range(begin, begin + PART, BK):
        k = start + tl.arange(0, BK)
        x = tl.load(a_ptr + rows[:, None] * K + k[None, :],
                    mask=(rows[:, None] < M) & (k[None, :] < K), other=0)
        y = tl.load(b_ptr + k[:, None] * N + columns[None, :],
                    mask=(k[:, None] < K) & (columns[None, :] < N), other=0)
        acc = tl.dot(x, y, acc, out_dtype=tl.int32)
    at = c_ptr + rows[:, None] * N + columns[None, :]
    tl.atomic_add(at, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[M, K] x [K, N] -> [M, N]: int8 in, int32 out, contiguous."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.zeros((m, n), dtype=torch.int32, device=a.device)
    chooser[(1,)](c, m, n, k)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32), triton.cdiv(k, 64))
    matmul_kernel[grid](a, b, c, m, n, k, BM=32, BN=32, BK=32, PART=64)
    return c
