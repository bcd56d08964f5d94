import torch
import triton
import triton.language as tl


@triton.jit
def batched_kernel(
    a_ptr, b_ptr, out_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    # Write the kernel: one program, one member of the
    # batch. Load its two matrices as tiles, multiply
    # them with one tl.dot, and store the result.
    pass


def side(n: int) -> int:
    """The side of a tile for n numbers: a power of two, 16 at least."""
    return max(16, triton.next_power_of_2(n))


def batched_dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[batch, M, K] x [batch, K, N] -> [batch, M, N], bfloat16, contiguous, sides up to 64."""
    (batch, m, k), n = a.shape, b.shape[2]
    out = torch.empty((batch, m, n), dtype=a.dtype, device=a.device)
    batched_kernel[(batch,)](
        a, b, out, m, n, k, BM=side(m), BN=side(n), BK=side(k)
    )  # fmt: skip
    return out
