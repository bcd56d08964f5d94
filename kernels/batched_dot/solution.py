import torch
import triton
import triton.language as tl


@triton.jit
def batched_kernel(
    a_ptr, b_ptr, out_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(0).to(tl.int64)
    rows, columns = tl.arange(0, BM), tl.arange(0, BN)
    k = tl.arange(0, BK)
    # Lanes past K take part in the sum, so they hold 0. Rows past M and columns past N only have to
    # stay inside the tensor; what they compute is never stored.
    x = tl.load(
        a_ptr + batch * M * K + rows[:, None] * K + k[None, :],
        mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0,
    )  # fmt: skip
    y = tl.load(
        b_ptr + batch * K * N + k[:, None] * N + columns[None, :],
        mask=(k[:, None] < K) & (columns[None, :] < N), other=0.0,
    )  # fmt: skip
    # Products of bfloat16 numbers are exact in float32, and the sum is kept there.
    product = tl.dot(x, y)
    at = out_ptr + batch * M * N + rows[:, None] * N + columns[None, :]
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(at, product.to(tl.bfloat16), mask=inside)


def side(n: int) -> int:
    """The side of a tile for n numbers: a power of two, 16 at least."""
    return max(16, triton.next_power_of_2(n))


def batched_dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[batch, M, K] x [batch, K, N] -> [batch, M, N], bfloat16, contiguous.

    Sides are at most 64.
    """
    (batch, m, k), n = a.shape, b.shape[2]
    out = torch.empty((batch, m, n), dtype=a.dtype, device=a.device)
    batched_kernel[(batch,)](
        a, b, out, m, n, k, BM=side(m), BN=side(n), BK=side(k)
    )  # fmt: skip
    return out
