import torch
import triton
import triton.language as tl


@triton.jit
def batched_kernel(
    a_ptr,
    b_ptr,
    out_ptr,
    count,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
):
    rows, columns, k = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BK)
    for batch in range(tl.program_id(0), count, tl.num_programs(0)):
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
    batched_kernel[(3,)](a, b, out, batch, m, n, k, BM=side(m), BN=side(n), BK=side(k))
    return out
