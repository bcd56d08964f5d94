# expect: too-much-traffic
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, N, K):
    row, column = tl.program_id(0) // N, tl.program_id(0) % N
    total = tl.zeros([64], dtype=tl.float32)
    for start in range(0, K, 64):
        k = start + tl.arange(0, 64)
        x = tl.load(a_ptr + row * K + k, mask=k < K, other=0.0).to(tl.float32)
        total += x * tl.load(b_ptr + k * N + column, mask=k < K, other=0.0)
    tl.store(c_ptr + row * N + column, tl.sum(total, axis=0))


def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """[M, K] x [K, N] -> [M, N]: float16 in, float32 out."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=torch.float32, device=a.device)
    kernel[(m * n,)](a, b, c, n, k)
    return c
