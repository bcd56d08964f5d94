import torch
import triton
import triton.language as tl


@triton.jit
def batched_kernel(
    a_ptr,
    b_ptr,
    out_ptr,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    batch = tl.program_id(0).to(tl.int64)
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns, k = tl.arange(0, BN), tl.arange(0, BK)
    x = tl.load(
        a_ptr + batch * M * K + rows[:, None] * K + k[None, :],
        mask=(rows[:, None] < M) & (k[None, :] < K),
        other=0.0,
    )
    y = tl.load(
        b_ptr + batch * K * N + k[:, None] * N + columns[None, :],
        mask=(k[:, None] < K) & (columns[None, :] < N),
        other=0.0,
    )
    product = tl.dot(x, y)
    at = out_ptr + batch * M * N + rows[:, None] * N + columns[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(at, product.to(tl.bfloat16), mask=inside)


def side(n: int) -> int:
    return max(16, triton.next_power_of_2(n))


def batched_dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    (batch, m, k), n = a.shape, b.shape[2]
    out = torch.empty((batch, m, n), dtype=a.dtype, device=a.device)
    batched_kernel[(batch, 2)](
        a, b, out, m, n, k, BM=side(triton.cdiv(m, 2)), BN=side(n), BK=side(k)
    )
    return out
