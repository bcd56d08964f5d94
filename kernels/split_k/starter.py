import torch
import triton
import triton.language as tl

PART = 128  # of K, for each program
STEP = 64


@triton.jit
def split_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    PART: tl.constexpr, STEP: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    # Write the kernel: one program sums over its part
    # of K and adds what it has to the result.
    pass


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[M, K] x [K, N] -> [M, N]: float16 in, float32 out, contiguous, M and N up to 32."""
    (m, _), n = a.shape, b.shape[1]
    # Write the result's allocation and the launch: how
    # many parts has K?
    c = torch.empty((m, n), dtype=torch.float32, device=a.device)
    return c
